const BUCKETS = 10;

export interface WindowCounts {
  readonly calls: number;
  readonly failures: number;
}

/**
 * Calls and failures of the last `windowMs`, in ten buckets whatever the traffic. A sample counts for at
 * least nine tenths of the window and never longer than it. Some of them may be set aside: they are
 * remembered, and nothing is decided by them.
 *
 * @param windowMs length of the window in milliseconds, more than 0
 */
export class BreakerWindow {
  readonly #bucketMs: number;
  readonly #all = new Buckets();
  readonly #aside = new Buckets();
  /** Number of the newest bucket, counted from the clock's zero. */
  #newest = 0;
  /** Monotonic milliseconds. */
  #newestEndsAt: number;

  constructor(windowMs: number) {
    this.#bucketMs = windowMs / BUCKETS;
    this.#newestEndsAt = this.#bucketMs;
  }

  /** @param nowMs monotonic milliseconds, never less than at the call before */
  add(nowMs: number, failed: boolean): void {
    this.#moveTo(nowMs);
    this.#all.add(this.#newest % BUCKETS, failed);
  }

  /** As {@link add}, for a sample that comes too late to decide anything. */
  addAside(nowMs: number, failed: boolean): void {
    this.add(nowMs, failed);
    this.#aside.add(this.#newest % BUCKETS, failed);
  }

  /**
   * Of those that nothing set aside.
   *
   * @param nowMs monotonic milliseconds, never less than at the call before
   */
  counts(nowMs: number): WindowCounts {
    this.#moveTo(nowMs);
    return {
      calls: this.#all.calls - this.#aside.calls,
      failures: this.#all.failures - this.#aside.failures,
    };
  }

  /** Of all. @param nowMs as for {@link counts} */
  remembered(nowMs: number): WindowCounts {
    this.#moveTo(nowMs);
    return { calls: this.#all.calls, failures: this.#all.failures };
  }

  /** Nothing is decided any more by what there was so far. */
  setAside(): void {
    this.#aside.become(this.#all);
  }

  /** Drops the buckets that time has left behind. */
  #moveTo(nowMs: number): void {
    // Stryker disable next-line all: a shortcut; nothing would be dropped below
    if (nowMs < this.#newestEndsAt) return;
    const bucket = Math.floor(nowMs / this.#bucketMs);
    const left = Math.min(bucket - this.#newest, BUCKETS);
    for (let i = 1; i <= left; i += 1) {
      const slot = (this.#newest + i) % BUCKETS;
      this.#all.drop(slot);
      this.#aside.drop(slot);
    }
    this.#newest = bucket;
    // Stryker disable next-line ArithmeticOperator: an end that is too early only makes the shortcut rarer
    this.#newestEndsAt = (bucket + 1) * this.#bucketMs;
  }
}

/** Counts by slot, with their sums. */
class Buckets {
  readonly #callsIn = new Uint32Array(BUCKETS);
  readonly #failuresIn = new Uint32Array(BUCKETS);
  calls = 0;
  failures = 0;

  add(slot: number, failed: boolean): void {
    this.#callsIn[slot] = (this.#callsIn[slot] ?? 0) + 1;
    this.calls += 1;
    if (!failed) return;
    this.#failuresIn[slot] = (this.#failuresIn[slot] ?? 0) + 1;
    this.failures += 1;
  }

  drop(slot: number): void {
    this.calls -= this.#callsIn[slot] ?? 0;
    this.failures -= this.#failuresIn[slot] ?? 0;
    this.#callsIn[slot] = 0;
    this.#failuresIn[slot] = 0;
  }

  become(other: Buckets): void {
    this.#callsIn.set(other.#callsIn);
    this.#failuresIn.set(other.#failuresIn);
    this.calls = other.calls;
    this.failures = other.failures;
  }
}
