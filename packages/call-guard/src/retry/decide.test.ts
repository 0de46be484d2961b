import type { EffectClass } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../failure.js';
import { failed } from '../next-step.js';
import { decideRetry, type RetryDecision, type RetrySetting } from './decide.js';

const lost = (effect: 'none' | 'unknown') =>
  failed('transport_lost', effect, { sent: effect === 'unknown' });

type Given = Partial<RetrySetting> & { readonly failure: FailureFacts };

function decisionOn(setting: Given): RetryDecision {
  return decideRetry({
    class: 'read',
    tries: 1,
    most: 3,
    keyProtects: false,
    cancelled: false,
    insideRetries: false,
    breakerAllows: true,
    budgetAllows: true,
    leftMs: Number.POSITIVE_INFINITY,
    typicalMs: 0,
    jitterMs: 100,
    longestWaitMs: 300_000,
    ...setting,
  });
}

function decide(setting: Given): string {
  const decision = decisionOn(setting);
  return decision.retry ? 'retry' : decision.why;
}

const limited = (retryAfterMs?: number) =>
  failed('rate_limited', 'none', {
    source: 'retry-after',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

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
    [failed('timed_out', 'none', { limit: 'idle', afterMs: 1, stillRunning: true }), true],
    [failed('timed_out', 'none', { limit: 'run', afterMs: 1, stillRunning: true }), false],
    [limited(), true],
    [failed('overloaded', 'none', { source: '529' }), true],
    [failed('dependency_failed', 'none', { status: 500 }), true],
    [failed('dependency_failed', 'none', { status: 503 }), true],
    [failed('dependency_failed', 'none', { status: 408 }), true],
    [failed('dependency_failed', 'none', { status: 409 }), true],
    [failed('dependency_failed', 'none', { code: 'SQLITE_BUSY', transient: true }), true],
    [failed('dependency_failed', 'none', { status: 404, transient: true }), true],
    [failed('dependency_failed', 'none', { innerCall: true, transient: true }), true],
    [failed('dependency_failed', 'none', { message: 'who knows' }), false],
    [failed('dependency_failed', 'none', { status: 404 }), false],
    [failed('dependency_failed', 'none', { innerCall: true, code: 'circuit_open' }), false],
    [failed('business_error', 'none', { status: 422 }), false],
    [failed('auth_failed', 'none', { why: 'credentials', status: 401 }), false],
    [failed('result_invalid', 'none', { problems: [] }), false],
    [failed('invalid_arguments', 'none', { problems: [] }), false],
  ])('only for failures of the way there: %o', (failure, again) => {
    expect(decide({ failure })).toBe(again ? 'retry' : 'another try would fail alike');
  });

  it('RS-16: not inside of a call that is tried again as a whole', () => {
    expect(decide({ failure: lost('none'), insideRetries: true })).toBe(
      'the call around it is tried again as a whole',
    );
  });

  it('not while a breaker is open, and not without a retry in the budget', () => {
    expect(decide({ failure: lost('none'), breakerAllows: false })).toBe(
      'its circuit breaker is open',
    );
    expect(decide({ failure: lost('none'), budgetAllows: false })).toBe(
      'the retries of its resource group are used up',
    );
  });

  it('RS-22: not where the wait and a typical try are more than what is left', () => {
    const why = 'what is left of the deadline is less than the wait and another try';
    expect(decide({ failure: lost('none'), leftMs: 150, typicalMs: 50 })).toBe('retry');
    expect(decide({ failure: lost('none'), leftMs: 149, typicalMs: 50 })).toBe(why);
    expect(decide({ failure: limited(2_000), leftMs: 1_999 })).toBe(why);
    const inside = { innerCall: true, transient: true, retryAfterMs: 2_000 } as const;
    expect(decide({ failure: failed('dependency_failed', 'none', inside), leftMs: 1_999 })).toBe(
      why,
    );
  });

  it('the first question that says no is the reason', () => {
    const all: Given = {
      failure: lost('unknown'),
      tries: 3,
      breakerAllows: false,
      budgetAllows: false,
      leftMs: 0,
    };
    expect(decide(all)).toBe('all 3 tries are used');
    expect(decide({ ...all, tries: 1 })).toMatch(/^it may have had its effect/);
    expect(decide({ ...all, tries: 1, failure: lost('none') })).toBe('its circuit breaker is open');
  });
});

describe('how long it waits', () => {
  it('as jitter says, where the other side asks for nothing', () => {
    expect(decisionOn({ failure: limited() })).toEqual({
      retry: true,
      waitMs: 100,
      directedBy: 'guard',
    });
  });

  it('RS-27, RS-28: exactly as long as the other side asks, up to the longest wait', () => {
    for (const waitMs of [1, 300_000]) {
      expect(decisionOn({ failure: limited(waitMs) })).toEqual({
        retry: true,
        waitMs,
        directedBy: 'server',
      });
    }
    expect(decisionOn({ failure: limited(300_001) })).toEqual({
      retry: false,
      why: 'the other side asks to wait 300001 ms, which is too long',
      closedForMs: 300_001,
    });
  });

  it('as an overloaded service asks, too', () => {
    const overloaded = failed('overloaded', 'none', { source: 'retry-after', retryAfterMs: 40 });
    expect(decisionOn({ failure: overloaded })).toEqual({
      retry: true,
      waitMs: 40,
      directedBy: 'server',
    });
  });

  it('of what no server asked for nothing is closed', () => {
    expect(decisionOn({ failure: limited(), leftMs: 99 })).toStrictEqual({
      retry: false,
      why: 'what is left of the deadline is less than the wait and another try',
    });
    const closed = { since: 0, retryAfterMs: 300_001, scope: 'tool' } as const;
    expect(decisionOn({ failure: failed('circuit_open', 'none', closed) })).toStrictEqual({
      retry: false,
      why: 'another try would fail alike',
    });
  });

  it('RS-28: a wait that the deadline does not cover closes the way until then', () => {
    expect(decisionOn({ failure: limited(2_000), leftMs: 1_000 })).toMatchObject({
      retry: false,
      closedForMs: 2_000,
    });
    expect(decisionOn({ failure: limited(2_000), tries: 3 })).not.toHaveProperty('closedForMs');
  });
});
