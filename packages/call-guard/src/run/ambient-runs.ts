import type { Run } from './run.js';

/** How many calls outside of a run are remembered by their call id. */
const MOST = 1_000;

/** Runs of calls that belong to none: the call id is the wish, and an equal call under it is the same one. */
export class AmbientRuns {
  readonly #byCall = new Map<string, Run>();

  /**
   * @param open makes the run of a call that is not known yet
   * @param onFirst is told of the first one
   */
  constructor(
    private readonly open: (callId: string) => Run,
    private readonly onFirst: (run: Run) => void,
  ) {}

  of(callId: string): Run {
    const known = this.#byCall.get(callId);
    if (known !== undefined) return known;
    const run = this.open(callId);
    this.#byCall.set(callId, run);
    if (this.#byCall.size === 1) this.onFirst(run);
    const [oldest] = this.#byCall.keys();
    if (this.#byCall.size > MOST && oldest !== undefined) this.#byCall.delete(oldest);
    return run;
  }
}
