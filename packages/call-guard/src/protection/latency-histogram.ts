/** Eight equal steps per doubling: a reported value is at most an eighth above the true one. */
const STEPS = 8;
const UNITS_PER_MS = 8;
/** Values up to 2^32 units, six days. */
const SLOTS = 240;
const MOST_UNITS = 2 ** 32 - 1;
/** At so many samples all counts are halved, so that the past fades as new samples come. */
const HALVED_AT = 1024;

/**
 * Latencies of about the last thousand calls in constant memory: exact below a millisecond (to an eighth
 * of it), logarithmic above.
 * Source: the log-linear buckets of Gil Tene's HdrHistogram.
 */
export class LatencyHistogram {
  readonly #counts = new Uint16Array(SLOTS);
  #samples = 0;

  /** How many latencies the percentiles are of. */
  get samples(): number {
    return this.#samples;
  }

  /** @param ms duration in milliseconds; what is not a number of them is left out */
  record(ms: number): void {
    if (!(ms >= 0)) return;
    if (this.#samples >= HALVED_AT) this.#halve();
    const slot = slotOf(Math.min(Math.ceil(ms * UNITS_PER_MS), MOST_UNITS));
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
    this.#samples += 1;
  }

  /**
   * The least latency in milliseconds, rounded up to its step, that `share` of the samples did not exceed.
   *
   * @param share above 0, up to 1
   * @returns undefined without samples
   */
  percentileMs(share: number): number | undefined {
    if (this.#samples === 0) return undefined;
    const rank = Math.ceil(this.#samples * share);
    let below = 0;
    let slot = -1;
    while (below < rank) {
      slot += 1;
      below += this.#counts[slot] ?? rank;
    }
    return highestIn(slot) / UNITS_PER_MS;
  }

  #halve(): void {
    this.#samples = 0;
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const half = (this.#counts[slot] ?? 0) >>> 1;
      this.#counts[slot] = half;
      this.#samples += half;
    }
  }
}

/** Below eight a slot per unit; above, the doubling and the three bits after the leading one. */
function slotOf(units: number): number {
  if (units < STEPS) return units;
  const doubling = 28 - Math.clz32(units);
  return doubling * STEPS + (units >>> doubling);
}

function highestIn(slot: number): number {
  if (slot < 2 * STEPS) return slot;
  const doubling = Math.floor(slot / STEPS) - 1;
  return ((slot % STEPS) + STEPS + 1) * 2 ** doubling - 1;
}
