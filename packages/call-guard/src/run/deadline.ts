import type { Clock } from '../clock.js';

/** How much time is left, wherever it is bounded: a run, or the work inside one of its calls. */
export interface TimeLeft {
  /** Milliseconds; Infinity where nothing bounds it, 0 when it is over. */
  leftMs(): number;
}

/**
 * The active time of a run's forward work. Inside a process it is one absolute moment on the monotonic
 * clock; between processes it is what was consumed, so waiting for a person and downtime do not count.
 * It is never refilled: a resumed run goes on with what it left.
 */
export class Deadline implements TimeLeft {
  #consumedMs: number;
  /** What the monotonic clock showed last. */
  #shown: number;

  constructor(
    private readonly setting: {
      /** Active milliseconds that the run may take in all; absent: unbounded. */
      readonly capMs?: number;
      /** A hard end, in wall-clock milliseconds; absent: none. */
      readonly atMs?: number;
      /** What earlier invocations consumed, in milliseconds. */
      readonly consumedMs: number;
      readonly clock: Pick<Clock, 'monotonicMs' | 'wallMs'>;
    },
  ) {
    this.#consumedMs = setting.consumedMs;
    this.#shown = setting.clock.monotonicMs();
  }

  get capMs(): number | undefined {
    return this.setting.capMs;
  }

  get isBounded(): boolean {
    return this.setting.capMs !== undefined || this.setting.atMs !== undefined;
  }

  /** Active milliseconds so far, earlier invocations included. Never shrinks, whatever the clock does. */
  consumedMs(): number {
    const now = this.setting.clock.monotonicMs();
    if (now > this.#shown) this.#consumedMs += now - this.#shown;
    this.#shown = now;
    return this.#consumedMs;
  }

  leftMs(): number {
    const { capMs, atMs, clock } = this.setting;
    const active = capMs === undefined ? Number.POSITIVE_INFINITY : capMs - this.consumedMs();
    const hard = atMs === undefined ? Number.POSITIVE_INFINITY : atMs - clock.wallMs();
    return Math.max(0, Math.min(active, hard));
  }
}

/**
 * What work inside a delegating call may take: a share of what its caller has left. An unspent share is
 * the caller's again, because it was never taken from it.
 *
 * @param ratio of what is left, 0 to 1
 */
export function childDeadline(
  parent: TimeLeft,
  ratio: number,
  clock: Pick<Clock, 'monotonicMs'>,
): TimeLeft {
  const endsAt = clock.monotonicMs() + parent.leftMs() * ratio;
  return {
    leftMs: () => Math.max(0, Math.min(parent.leftMs(), endsAt - clock.monotonicMs())),
  };
}

/** What two bounds leave together. */
export function shorter(a: TimeLeft, b: TimeLeft): TimeLeft {
  return { leftMs: () => Math.min(a.leftMs(), b.leftMs()) };
}
