import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { checkedLimits, type Settings } from './limits.js';

function problemsOf(settings: unknown): readonly string[] {
  try {
    checkedLimits(settings as Settings);
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
      approvalMs: 86_400_000,
      backoffBaseMs: 250,
      backoffCapMs: 8_000,
      leaseMs: 30_000,
      barrierMs: 2_000,
      lateWindowMs: 60_000,
      idleEndMs: 900_000,
      probeTimeoutMs: 10_000,
      admissionFactor: 1.5,
      profileSamples: 30,
      profileDrift: 2,
      childDeadlineRatio: 0.5,
      timeoutGrowth: 1.5,
      retryAfterMaxMs: 300_000,
      retryBudgetPercent: 20,
      retryBudgetFloor: 10,
      authRefreshMs: 30_000,
      authCoolMs: 30_000,
      breakerWindowMs: 60_000,
      breakerFailures: 5,
      breakerRatePercent: 50,
      breakerMinimumVolume: 10,
      breakerConsecutive: 5,
      breakerCoolDownMs: 30_000,
      breakerCoolDownGrowth: 2,
      breakerCoolDownCapMs: 600_000,
      breakerSuccesses: 2,
      breakerStableMs: 60_000,
      maxRepeats: 3,
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
    ['admissionFactor', 1, 5],
    ['profileSamples', 10, 1_000_000],
    ['profileDrift', 1.2, 10],
    ['childDeadlineRatio', 0, 1],
    ['timeoutGrowth', 1, 3],
    ['retryAfterMaxMs', 0, 3_600_000],
    ['retryBudgetPercent', 0, 100],
    ['retryBudgetFloor', 0, 1_000],
    ['breakerWindowMs', 1_000, 3_600_000],
    ['breakerFailures', 1, 1_000],
    ['breakerRatePercent', 1, 100],
    ['breakerMinimumVolume', 1, 1_000],
    ['breakerConsecutive', 1, 1_000],
    ['breakerCoolDownGrowth', 1, 10],
    ['breakerSuccesses', 1, 100],
    ['breakerStableMs', 0, 3_600_000],
    ['maxRepeats', 1, 20],
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

  it('a cool-down is at most its cap', () => {
    expect(problemsOf({ breakerCoolDownMs: 1 })).toEqual([]);
    expect(problemsOf({ breakerCoolDownMs: 2_000, breakerCoolDownCapMs: 1_000 })).toEqual([
      expect.stringContaining(
        'settings.breakerCoolDownMs: 2000 is over breakerCoolDownCapMs (1000)',
      ),
    ]);
  });

  it.each([null, 5, []])('%j is no settings', (settings) => {
    expect(problemsOf(settings)).toEqual([expect.stringMatching(/^settings: it is no object/)]);
  });

  it('half a try is none', () => {
    expect(problemsOf({ attempts: 2.5 }).length).toBe(1);
  });

  it('name everything that is wrong at once, unknown names too', () => {
    expect(problemsOf({ attempts: 0, leaseMs: 1, attemps: 3, toString: 1 }).length).toBe(4);
    expect(problemsOf({ attempts: undefined })).toEqual([]);
  });
});
