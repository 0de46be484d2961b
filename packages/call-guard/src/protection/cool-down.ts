export interface CoolDownSettings {
  /** How long a breaker stays open the first time. */
  readonly coolDownMs: number;
  /** What the cool-down is multiplied by at each further opening, up to `coolDownCapMs`. At least 1. */
  readonly coolDownGrowth: number;
  readonly coolDownCapMs: number;
  /** How long a breaker must have been closed for its next opening to count as the first again. */
  readonly stableMs: number;
}

/** A reset hours away that is probed before it: no wait is longer than this part of it. */
const LONGEST_WAIT_PART = 1 / 4;

/** How long a breaker stays open, each time. All moments are monotonic milliseconds. */
export class CoolDown {
  /** Openings since the last stable period: the exponent. */
  #openings = 0;
  #announced: { readonly reset: number; readonly longestWaitMs: number } | undefined;

  constructor(private readonly settings: CoolDownSettings) {}

  /** A breaker closed since `since` opens at `at`: was that long enough to forget the openings before? */
  closedPeriodEnds(since: number, at: number): void {
    if (at - since >= this.settings.stableMs) this.#openings = 0;
  }

  /** The server named a reset, and calls are let through before it now and then. The latest one wins. */
  announce(ms: number, now: number): void {
    const reset = now + ms;
    if (reset <= (this.#announced?.reset ?? now)) return;
    this.#announced = { reset, longestWaitMs: ms * LONGEST_WAIT_PART };
  }

  /** Counts an opening at `at`. @returns the moment of the next probe */
  next(at: number): number {
    const { coolDownCapMs, coolDownGrowth, coolDownMs } = this.settings;
    const ownMs = Math.min(coolDownMs * coolDownGrowth ** this.#openings, coolDownCapMs);
    this.#openings += 1;
    if (this.#announced === undefined || at >= this.#announced.reset) return at + ownMs;
    const { longestWaitMs, reset } = this.#announced;
    return Math.min(at + Math.min(ownMs, longestWaitMs), reset);
  }

  /** The dependency is back: what it announced is over. The openings stay until a stable period. */
  recovered(): void {
    this.#announced = undefined;
  }

  forget(): void {
    this.#announced = undefined;
    this.#openings = 0;
  }
}
