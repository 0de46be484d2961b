import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

const limits = { backoffBaseMs: 250, backoffCapMs: 8_000 };
const almostOne = () => 1 - Number.EPSILON;

describe('full jitter', () => {
  it('is drawn below base times two to the power of the retry, up to the cap', () => {
    expect([1, 2, 3, 5, 6, 7, 50, 5_000].map((n) => backoffMs(n, limits, almostOne))).toEqual([
      249, 499, 999, 3_999, 7_999, 7_999, 7_999, 7_999,
    ]);
    expect(backoffMs(3, limits, () => 0)).toBe(0);
    expect(backoffMs(3, limits, () => 0.5)).toBe(500);
  });

  it('is a whole number within its bound, whatever the settings', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 300_000 }),
        fc.integer({ min: 1, max: 300_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (retry, backoffBaseMs, backoffCapMs, chance) => {
          const wait = backoffMs(retry, { backoffBaseMs, backoffCapMs }, () => chance);
          return Number.isInteger(wait) && wait >= 0 && wait < backoffCapMs;
        },
      ),
      { seed: 18 },
    );
  });
});

describe('back-off over very many retries', () => {
  it('RS-18: stays a number between nothing and the cap', () => {
    const limits = { backoffBaseMs: 1_000, backoffCapMs: 30_000 };
    for (let retry = 1; retry <= 5_000; retry += 1) {
      for (const random of [0, 0.5, 0.999_999]) {
        const waitMs = backoffMs(retry, limits, () => random);
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(30_000);
      }
    }
    expect(backoffMs(5_000, limits, () => 1 - Number.EPSILON)).toBeGreaterThan(29_000);
  });
});
