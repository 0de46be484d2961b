import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../failure.js';
import { failed } from '../next-step.js';
import type { Outcome } from './call.js';
import { sampleOf } from './sample.js';

const timedOut = (limit: 'run' | 'tool' | 'first-byte' | 'idle') =>
  failed('timed_out', 'unknown', { limit, afterMs: 5, stillRunning: true });

describe('what one try says about its tool and the service behind it', () => {
  it.each<[string, Outcome]>([
    ['an answer', { outcome: 'succeeded', output: 'done' }],
    ['a probe that found the effect', { outcome: 'confirmed', by: 'probe', evidence: {} }],
  ])('%s: both work', (_, outcome) => {
    expect(sampleOf(outcome)).toEqual({ sample: 'success', about: 'group' });
  });

  it('a pause for a person: nothing', () => {
    expect(sampleOf({ outcome: 'suspended', thrown: new Error('interrupt') })).toEqual({
      sample: 'neutral',
      about: 'tool',
    });
  });

  it.each<[FailureFacts, string]>([
    [failed('transport_lost', 'none', { sent: false }), 'failure of group'],
    [failed('overloaded', 'none', { source: 'status 529' }), 'failure of group'],
    [timedOut('tool'), 'failure of group'],
    [timedOut('first-byte'), 'failure of group'],
    [timedOut('idle'), 'failure of group'],
    // The caller had too little time.
    [timedOut('run'), 'neutral of tool'],
    [failed('dependency_failed', 'unknown', { status: 500 }), 'failure of tool'],
    // The call inside has told its own breaker.
    [failed('dependency_failed', 'unknown', { innerCall: true }), 'neutral of tool'],
    [failed('dependency_failed', 'none', { code: '40P01', transient: true }), 'neutral of tool'],
    [failed('business_error', 'none', { status: 422 }), 'neutral of tool'],
    [failed('auth_failed', 'none', { why: 'credentials' }), 'neutral of tool'],
    [failed('rate_limited', 'none', { source: 'status 429' }), 'neutral of tool'],
    [failed('cancelled', 'none', { by: 'caller' }), 'neutral of tool'],
    [failed('result_invalid', 'done', { problems: [] }), 'neutral of tool'],
  ])('%o', (failure, expected) => {
    for (const outcome of ['failed', 'unknown'] as const) {
      const { sample, about } = sampleOf({ outcome, failure });
      expect(`${sample} of ${about}`).toBe(expected);
    }
  });
});
