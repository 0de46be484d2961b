import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BreakerWindow } from './breaker-window.js';

describe('a sliding window of calls', () => {
  it('counts calls and failures, and forgets them after its length', () => {
    const window = new BreakerWindow(1_000);
    window.add(0, true);
    window.add(450, false);
    expect(window.counts(999)).toEqual({ calls: 2, failures: 1 });
    expect(window.counts(1_000)).toEqual({ calls: 1, failures: 0 });
    expect(window.counts(1_450)).toEqual({ calls: 0, failures: 0 });
  });

  it('forgets all calls of a moment together', () => {
    const window = new BreakerWindow(1_000);
    for (let i = 0; i < 5; i += 1) window.add(0, i < 3);
    expect(window.counts(999)).toEqual({ calls: 5, failures: 3 });
    expect(window.counts(1_000)).toEqual({ calls: 0, failures: 0 });
    window.add(1_000, true);
    expect(window.counts(1_999)).toEqual({ calls: 1, failures: 1 });
    expect(window.counts(2_000)).toEqual({ calls: 0, failures: 0 });
  });

  it('starts anew after any silence', () => {
    const window = new BreakerWindow(1_000);
    window.add(500, true);
    window.add(10_000_000_500, false);
    expect(window.counts(10_000_000_500)).toEqual({ calls: 1, failures: 0 });
    expect(window.remembered(10_000_000_500)).toEqual({ calls: 1, failures: 0 });
  });

  it('remembers what was set aside as long as all else, and does not count it', () => {
    const window = new BreakerWindow(1_000);
    window.add(0, true);
    window.add(500, true);
    window.setAside();
    expect(window.counts(500)).toEqual({ calls: 0, failures: 0 });
    expect(window.remembered(500)).toEqual({ calls: 2, failures: 2 });
    window.add(550, false);
    expect(window.counts(999)).toEqual({ calls: 1, failures: 0 });
    expect(window.remembered(999)).toEqual({ calls: 3, failures: 2 });
    expect(window.counts(1_000)).toEqual({ calls: 1, failures: 0 });
    expect(window.remembered(1_000)).toEqual({ calls: 2, failures: 1 });
    expect(window.counts(1_500)).toEqual({ calls: 0, failures: 0 });
    expect(window.remembered(1_500)).toEqual({ calls: 0, failures: 0 });
  });

  it('remembers a late sample, and does not count it', () => {
    const window = new BreakerWindow(1_000);
    window.add(0, false);
    window.addAside(0, true);
    window.addAside(300, true);
    expect(window.counts(300)).toEqual({ calls: 1, failures: 0 });
    expect(window.remembered(300)).toEqual({ calls: 3, failures: 2 });
    expect(window.counts(1_000)).toEqual({ calls: 0, failures: 0 });
    expect(window.remembered(1_000)).toEqual({ calls: 1, failures: 1 });
  });

  it('keeps each sample for nine tenths of its length at least, and never longer than its length', () => {
    const samples = fc.array(
      fc.record({ afterMs: fc.nat(4_000).map((n) => n / 10), failed: fc.boolean() }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(samples, (steps) => {
        const window = new BreakerWindow(1_000);
        const seen: { readonly at: number; readonly failed: boolean }[] = [];
        let now = 0;
        for (const { afterMs, failed } of steps) {
          now += afterMs;
          window.add(now, failed);
          seen.push({ at: now, failed });
          const { calls, failures } = window.counts(now);
          const within = (ms: number) => seen.filter(({ at }) => now - at <= ms);
          expect(calls).toBeGreaterThanOrEqual(within(899.999).length);
          expect(calls).toBeLessThanOrEqual(within(1_000).length);
          const counted = calls === 0 ? [] : seen.slice(-calls);
          expect(failures).toBe(counted.filter((sample) => sample.failed).length);
        }
      }),
      { seed: 1 },
    );
  });
});
