import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { checkedLimits, type Settings } from './limits.js';

function problemsOf(settings: Settings | Record<string, unknown>): readonly string[] {
  try {
    checkedLimits(settings);
    return [];
  } catch (error) {
    if (!isSetupError(error, 'option_out_of_range')) throw error;
    return error.problems.map(({ field, reason, fix }) => `${field}: ${reason}; ${fix}`);
  }
}

describe('settings', () => {
  it('have defaults', () => {
    expect(checkedLimits()).toEqual({
      attempts: 3,
      backoffBaseMs: 250,
      backoffCapMs: 8_000,
      leaseMs: 30_000,
      barrierMs: 2_000,
      lateWindowMs: 60_000,
      idleEndMs: 900_000,
      probeTimeoutMs: 10_000,
    });
    expect(checkedLimits({ attempts: 5 }).attempts).toBe(5);
  });

  it.each([
    ['attempts', 1, 10],
    ['backoffBaseMs', 1, 300_000],
    ['backoffCapMs', 1, 300_000],
    ['leaseMs', 1_000, 3_600_000],
    ['barrierMs', 0, 60_000],
    ['lateWindowMs', 0, 86_400_000],
    ['idleEndMs', 1_000, 86_400_000],
    ['probeTimeoutMs', 1, 300_000],
  ])('%s is legal from %i to %i', (name, least, most) => {
    expect(problemsOf({ [name]: least })).toEqual([]);
    expect(problemsOf({ [name]: most })).toEqual([]);
    for (const value of [least - 1, most + 1, Number.NaN, Number.POSITIVE_INFINITY, '7', null]) {
      const [problem, ...others] = problemsOf({ [name]: value });
      expect(others).toEqual([]);
      expect(problem).toMatch(
        new RegExp(`^settings\\.${name}: ${value} is out of range; give ${least} to ${most} `),
      );
    }
  });

  it('half a try is none', () => {
    expect(problemsOf({ attempts: 2.5 }).length).toBe(1);
  });

  it('name everything that is wrong at once, unknown names too', () => {
    expect(problemsOf({ attempts: 0, leaseMs: 1, attemps: 3, toString: 1 }).length).toBe(4);
    expect(problemsOf({ attempts: undefined })).toEqual([]);
  });
});
