import type { EffectClass } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../failure.js';
import { failed } from '../next-step.js';
import { decideRetry, type RetrySetting } from './decide.js';

const lost = (effect: 'none' | 'unknown') =>
  failed('transport_lost', effect, { sent: effect === 'unknown' });

function decide(setting: Partial<RetrySetting> & { failure: FailureFacts }): string {
  const decision = decideRetry({
    class: 'read',
    tries: 1,
    most: 3,
    keyProtects: false,
    cancelled: false,
    ...setting,
  });
  return decision.retry ? 'retry' : decision.why;
}

describe('whether another try is made', () => {
  it.each<[EffectClass, boolean, string, string]>([
    ['read', false, 'retry', 'it may have had its effect, and nothing protects a second sending'],
    [
      'idempotent-write',
      false,
      'retry',
      'it may have had its effect, and nothing protects a second sending',
    ],
    ['idempotent-write', true, 'retry', 'retry'],
    [
      'irreversible',
      true,
      'retry',
      'it may have had its effect, and nothing protects a second sending',
    ],
    [
      'undeclared',
      true,
      'a tool without an entry is never sent again',
      'a tool without an entry is never sent again',
    ],
    [
      'delegates',
      false,
      'the calls inside have their own retries',
      'the calls inside have their own retries',
    ],
  ])('%s, key protects: %s', (effectClass, keyProtects, unsent, unknown) => {
    expect(decide({ class: effectClass, keyProtects, failure: lost('none') })).toBe(unsent);
    expect(decide({ class: effectClass, keyProtects, failure: lost('unknown') })).toBe(unknown);
  });

  it('never after the last try', () => {
    expect(decide({ failure: lost('none'), tries: 2 })).toBe('retry');
    expect(decide({ failure: lost('none'), tries: 3 })).toBe('all 3 tries are used');
  });

  it('never for a caller that gave up', () => {
    expect(decide({ failure: lost('none'), cancelled: true })).toBe('the caller gave up');
    expect(decide({ failure: failed('cancelled', 'none', { by: 'caller' }) })).toBe(
      'the caller gave up',
    );
  });

  it('never for what is done', () => {
    expect(decide({ failure: failed('business_error', 'done', {}) })).toBe('it is done');
  });

  it.each<[FailureFacts, boolean]>([
    [failed('timed_out', 'none', { limit: 'tool', afterMs: 1, stillRunning: true }), true],
    [failed('dependency_failed', 'none', { status: 500 }), true],
    [failed('dependency_failed', 'none', { status: 503 }), true],
    [failed('dependency_failed', 'none', { status: 408 }), true],
    [failed('dependency_failed', 'none', { status: 409 }), true],
    [failed('dependency_failed', 'none', { status: 429 }), false],
    [failed('dependency_failed', 'none', { message: 'who knows' }), false],
    [failed('business_error', 'none', { status: 422 }), false],
    [failed('auth_failed', 'none', { status: 401 }), false],
    [failed('result_invalid', 'none', { problems: [] }), false],
    [failed('invalid_arguments', 'none', { problems: [] }), false],
  ])('only for failures of the way there: %o', (failure, again) => {
    expect(decide({ failure })).toBe(again ? 'retry' : 'another try would fail alike');
  });
});
