import type { FailureKind } from './failure.js';
import type { Run } from './run/run.js';

/** What would have been done to one call. */
export interface ShadowNote {
  /** Which mechanism, or `guard` for the guard as a whole. */
  readonly mechanism: string;
  readonly would: 'refuse' | 'fold' | 'retry';
  readonly kind?: FailureKind;
}

/** What a guard that watches would have changed, in calls and in runs. */
export interface ShadowReport {
  /** Calls that were watched by the guard as a whole. */
  readonly calls: number;
  readonly refused: { readonly calls: number; readonly runs: number };
  /** By kind of failure. */
  readonly refusedAs: { readonly [K in FailureKind]?: number };
  readonly folded: { readonly calls: number; readonly runs: number };
  readonly retried: { readonly calls: number; readonly runs: number };
  /** Effects that took place although an equal one had, or might have had, taken place before. */
  readonly saved: { readonly calls: number; readonly runs: number };
}

/** Kinds of refusals that stand for an effect that would not have been repeated. */
const REPEATS: ReadonlySet<FailureKind> = new Set([
  'outcome_unknown',
  'in_flight',
  'intent_conflict',
  'fork_conflict',
]);

/** Counts what mechanisms that only watch would have done. Numbers, and the runs they happened in. */
export class ShadowTally {
  #calls = 0;
  readonly #seen = {
    refuse: new CallsAndRuns(),
    fold: new CallsAndRuns(),
    retry: new CallsAndRuns(),
    save: new CallsAndRuns(),
  };
  readonly #kinds = new Map<FailureKind, number>();

  /** A call was watched. */
  watched(): void {
    this.#calls += 1;
  }

  note({ runId }: Pick<Run, 'runId'>, { would, kind }: ShadowNote): void {
    this.#seen[would].count(runId);
    if (would === 'refuse' && kind !== undefined) {
      this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    }
    if (would === 'fold' || (kind !== undefined && REPEATS.has(kind))) this.#seen.save.count(runId);
  }

  report(): ShadowReport {
    const { refuse, fold, retry, save } = this.#seen;
    return {
      calls: this.#calls,
      refused: refuse.counted(),
      refusedAs: Object.fromEntries(this.#kinds),
      folded: fold.counted(),
      retried: retry.counted(),
      saved: save.counted(),
    };
  }
}

/** Runs that are remembered; one that comes back after so many others is counted again. */
const MOST_RUNS = 10_000;

/** How many calls, and how many different runs they were in, in bounded memory. */
class CallsAndRuns {
  #calls = 0;
  #runs = 0;
  readonly #recent = new Set<string>();

  count(runId: string): void {
    this.#calls += 1;
    if (this.#recent.has(runId)) return;
    this.#runs += 1;
    this.#recent.add(runId);
    const [oldest] = this.#recent;
    if (this.#recent.size > MOST_RUNS && oldest !== undefined) this.#recent.delete(oldest);
  }

  counted(): { readonly calls: number; readonly runs: number } {
    return { calls: this.#calls, runs: this.#runs };
  }
}
