import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { checkedRunLimits, type RunLimits } from './run-limits.js';

function problemsOf(limits: unknown): readonly string[] {
  try {
    checkedRunLimits(limits as RunLimits);
    return [];
  } catch (error) {
    if (!isSetupError(error, 'option_out_of_range')) throw error;
    return error.problems.map(({ field, reason }) => `${field}: ${reason}`);
  }
}

describe('the limits of a run', () => {
  it('are read once', () => {
    expect(checkedRunLimits(undefined)).toEqual({});
    expect(checkedRunLimits({ deadline: '40s' })).toEqual({ deadlineMs: 40_000 });
    expect(checkedRunLimits({ deadline: 100, deadlineAt: new Date(5) })).toEqual({
      deadlineMs: 100,
      deadlineAtMs: 5,
    });
  });

  it('name everything that is wrong at once', () => {
    expect(problemsOf({ deadline: 99, deadlineAt: new Date(Number.NaN), steps: 3 })).toEqual([
      'limits.steps: there is no such limit',
      'limits.deadline: 99 ms is out of range',
      'limits.deadlineAt: Invalid Date is no moment',
    ]);
    expect(problemsOf({ deadline: 'soon' })).toEqual([expect.stringMatching(/^limits.deadline: /)]);
    expect(problemsOf({ deadline: -1 })).toHaveLength(1);
    expect(problemsOf(null)).toEqual(['limits: it is no object']);
    expect(problemsOf([])).toEqual(['limits: it is no object']);
  });
});
