import type { Effect } from '@holdfast/effect-ledger';
import type { Deadline } from './deadline.js';

/** How much a new model turn counts in what is typical. */
const SMOOTHING = 0.3;
/** The share of a deadline that is kept for compensations at most. */
const MOST_FOR_COMPENSATION = 0.3;

/** What a run's time is used for, in milliseconds. */
export interface TimeExplained {
  /** Absent where nothing bounds the run. */
  readonly capMs?: number;
  /** Active time so far, earlier invocations included. */
  readonly consumedMs: number;
  /** Infinity where nothing bounds the run. */
  readonly leftMs: number;
  readonly reserves: {
    /** One model turn, to decide after a failure. */
    readonly modelTurnMs: number;
    /** To take back what was done. */
    readonly compensationMs: number;
  };
  /** What the next call may take. */
  readonly spendableMs: number;
}

/** The time of a run: its deadline, and what of it is kept for what must come after a call. */
export class TimeBudget {
  #modelTurnMs = 0;

  constructor(
    readonly deadline: Deadline,
    private readonly setting: {
      readonly effects: () => readonly Effect[];
      /** How long a tool is expected to take, in milliseconds. */
      readonly expectedMs: (tool: string) => number;
    },
  ) {}

  /** A model turn of the run took so long, in milliseconds. */
  noteModelTurn(ms: number): void {
    this.#modelTurnMs =
      this.#modelTurnMs === 0 ? ms : this.#modelTurnMs + SMOOTHING * (ms - this.#modelTurnMs);
  }

  /** How the run's time stands. */
  explain(): { readonly time: TimeExplained } {
    const { deadline } = this;
    const { capMs } = deadline;
    const leftMs = deadline.leftMs();
    const reserves = { modelTurnMs: this.#modelTurnMs, compensationMs: this.#compensationMs() };
    return {
      time: {
        ...(capMs === undefined ? {} : { capMs }),
        consumedMs: deadline.consumedMs(),
        leftMs,
        reserves,
        spendableMs: Math.max(0, leftMs - reserves.modelTurnMs - reserves.compensationMs),
      },
    };
  }

  /** Milliseconds that no call may take; 0 where nothing bounds the run. */
  reservedMs(): number {
    return this.deadline.isBounded ? this.#modelTurnMs + this.#compensationMs() : 0;
  }

  #compensationMs(): number {
    const { capMs } = this.deadline;
    if (capMs === undefined) return 0;
    const needed = this.setting
      .effects()
      .reduce(
        (sum, effect) =>
          effect.state === 'succeeded' && effect.undo.undo === 'ready'
            ? sum + this.setting.expectedMs(effect.undo.tool)
            : sum,
        0,
      );
    return Math.min(needed, capMs * MOST_FOR_COMPENSATION);
  }
}
