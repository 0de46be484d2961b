import { BreakerWindow } from './breaker-window.js';
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
  readonly #window: BreakerWindow;
  readonly #latency = new LatencyHistogram();

  constructor(windowMs: number) {
    this.#window = new BreakerWindow(windowMs);
  }

  /** @param latencyMs kept for a success only: a failure says nothing about speed */
  add(nowMs: number, failed: boolean, latencyMs?: number): void {
    this.#window.add(nowMs, failed);
    if (!failed && latencyMs !== undefined) this.#latency.record(latencyMs);
  }

  get p99Ms(): number | undefined {
    return this.#latency.percentileMs(0.99);
  }

  read(nowMs: number): Health {
    const { calls, failures } = this.#window.counts(nowMs);
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
