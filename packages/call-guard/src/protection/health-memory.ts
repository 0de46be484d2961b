import type { BreakerWindow } from './breaker-window.js';
import { LatencyHistogram } from './latency-histogram.js';

export interface Health {
  /** Of the last `windowMs`. */
  readonly failures: number;
  readonly calls: number;
  /** 0 to 1. Absent without calls in the window. */
  readonly successRate?: number;
  /** Of about the last thousand successes, in milliseconds. Absent without any. */
  readonly p95Ms?: number;
  readonly p99Ms?: number;
  /** How many successes the percentiles are of. */
  readonly samples: number;
}

/**
 * What is remembered of a dependency whatever its breaker does: late results count, and closing clears
 * nothing. Constant memory.
 */
export class HealthMemory {
  readonly #latency = new LatencyHistogram();

  /** @param window of the breaker, which counts all samples */
  constructor(private readonly window: Pick<BreakerWindow, 'remembered'>) {}

  /** How long a success took. A failure says nothing about speed. */
  succeeded(latencyMs: number): void {
    this.#latency.record(latencyMs);
  }

  get p99Ms(): number | undefined {
    return this.#latency.percentileMs(0.99);
  }

  read(nowMs: number): Health {
    const { calls, failures } = this.window.remembered(nowMs);
    const p95Ms = this.#latency.percentileMs(0.95);
    const { p99Ms } = this;
    return {
      failures,
      calls,
      ...(calls === 0 ? {} : { successRate: (calls - failures) / calls }),
      samples: this.#latency.samples,
      ...(p95Ms === undefined ? {} : { p95Ms }),
      ...(p99Ms === undefined ? {} : { p99Ms }),
    };
  }
}
