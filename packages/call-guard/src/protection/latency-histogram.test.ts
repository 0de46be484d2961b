import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from './latency-histogram.js';

const filled = (...latencies: readonly number[]): LatencyHistogram => {
  const histogram = new LatencyHistogram();
  for (const ms of latencies) histogram.record(ms);
  return histogram;
};

describe('latencies in constant memory', () => {
  it('knows nothing without samples', () => {
    expect(new LatencyHistogram().percentileMs(0.95)).toBeUndefined();
    expect(filled(Number.NaN, -1).percentileMs(0.95)).toBeUndefined();
  });

  it('finds the share of the samples that was asked for', () => {
    const histogram = filled(...Array.from({ length: 100 }, (_, i) => (i < 95 ? 1 : 1_000)));
    expect(histogram.percentileMs(0.95)).toBe(1);
    expect(histogram.percentileMs(0.96)).toBeGreaterThan(999);
    expect(histogram.percentileMs(1)).toBeLessThan(1_125);
  });

  it('is never below the true value, and above it by an eighth at most', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 86_400_000, noNaN: true }), {
          minLength: 1,
          maxLength: 200,
        }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (latencies, share) => {
          const exact = [...latencies].sort((a, b) => a - b)[
            Math.ceil(latencies.length * share) - 1
          ];
          const told = filled(...latencies).percentileMs(share);
          expect(told).toBeGreaterThanOrEqual(exact ?? Number.NaN);
          expect(told).toBeLessThanOrEqual((exact ?? Number.NaN) * 1.125 + 0.125);
        },
      ),
      { seed: 1 },
    );
  });

  it('takes what is longer than it can tell apart as its longest', () => {
    expect(filled(Number.POSITIVE_INFINITY).percentileMs(1)).toBe((2 ** 32 - 1) / 8);
  });

  it('lets the past fade as new samples come', () => {
    const histogram = filled(...Array.from({ length: 100_000 }, () => 1_000));
    for (let i = 0; i < 4_096; i += 1) histogram.record(10);
    expect(histogram.percentileMs(0.95)).toBe(10.875);
  });
});
