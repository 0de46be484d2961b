import type { Failure } from '../failure.js';

/** How one call of a run ended, as the report needs it. */
export interface CallEnd {
  readonly tool: string;
  readonly callId: string;
  readonly failure?: Failure;
}

/**
 * How the calls of a run ended, as far as its report may still speak of it: memory is for the failures that
 * nothing has made good, however many calls there are.
 */
export class CallEnds {
  #open: CallEnd[] = [];

  /** In the order in which the calls ended. */
  get open(): readonly CallEnd[] {
    return this.#open;
  }

  note(end: CallEnd): void {
    if (this.#open.length > 0) {
      this.#open = this.#open.filter((before) => !isMadeGood(before, end));
    }
    if (end.failure !== undefined) this.#open.push(end);
  }
}

/**
 * Whether a failure says nothing more after `later`: one without a key and an effect is made good by its
 * tool's next success, and the next such failure stands for it.
 */
function isMadeGood({ tool, failure }: CallEnd, later: CallEnd): boolean {
  const isPassing = failure?.idempotencyKey === undefined && failure?.effect === 'none';
  return isPassing && tool === later.tool && later.failure?.idempotencyKey === undefined;
}
