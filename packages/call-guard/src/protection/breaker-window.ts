const BUCKETS = 10;

export interface WindowCounts {
  readonly calls: number;
  readonly failures: number;
}

/**
 * Calls and failures of the last `windowMs`, in ten buckets whatever the traffic. A sample counts for at
 * least nine tenths of the window and never longer than it.
 *
 * @param windowMs length of the window in milliseconds, more than 0
 */
export class BreakerWindow {
  readonly #bucketMs: number;
  readonly #callsIn = new Uint32Array(BUCKETS);
  readonly #failuresIn = new Uint32Array(BUCKETS);
  #calls = 0;
  #failures = 0;
  /** Number of the newest bucket, counted from the clock's zero. */
  #newest = 0;

  constructor(windowMs: number) {
    this.#bucketMs = windowMs / BUCKETS;
  }

  /** @param nowMs monotonic milliseconds, never less than at the call before */
  add(nowMs: number, failed: boolean): void {
    const slot = this.#moveTo(nowMs);
    this.#callsIn[slot] = (this.#callsIn[slot] ?? 0) + 1;
    this.#calls += 1;
    if (!failed) return;
    this.#failuresIn[slot] = (this.#failuresIn[slot] ?? 0) + 1;
    this.#failures += 1;
  }

  /** @param nowMs monotonic milliseconds, never less than at the call before */
  counts(nowMs: number): WindowCounts {
    this.#moveTo(nowMs);
    return { calls: this.#calls, failures: this.#failures };
  }

  clear(): void {
    this.#callsIn.fill(0);
    this.#failuresIn.fill(0);
    this.#calls = 0;
    this.#failures = 0;
  }

  /** Drops the buckets that time has left behind. @returns the slot of the newest one */
  #moveTo(nowMs: number): number {
    const bucket = Math.floor(nowMs / this.#bucketMs);
    const left = Math.min(bucket - this.#newest, BUCKETS);
    for (let i = 1; i <= left; i += 1) this.#drop((this.#newest + i) % BUCKETS);
    this.#newest = bucket;
    return bucket % BUCKETS;
  }

  #drop(slot: number): void {
    this.#calls -= this.#callsIn[slot] ?? 0;
    this.#failures -= this.#failuresIn[slot] ?? 0;
    this.#callsIn[slot] = 0;
    this.#failuresIn[slot] = 0;
  }
}
