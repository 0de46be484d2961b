import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { fail, type Statement } from './fail.js';
import { desk, failureOf, gist } from './order-tools.fixture.js';
import { isStatedFailure } from './stated-failure.js';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
const mail = { tool: 'send_mail', args: { to: 'A', subject: 's' }, callId: 'c1' } as const;

/** The answer of a mail whose tool says this. */
function said(statement: Statement, settings = { attempts: 1 }) {
  const shop = desk({ settings });
  let ran = 0;
  const answer = shop.run(() =>
    shop.guard.call(mail, async () => {
      ran += 1;
      return ran > 1 ? 'sent' : fail(statement);
    }),
  );
  return shop.after(10_000, answer).then((result) => ({ answer: result, shop, ran }));
}

describe('what a tool states', () => {
  it.each<[Statement, object]>([
    [
      { kind: 'business_error', effect: 'none', code: 'sold_out', message: 'sold out' },
      {
        code: 'sold_out',
        message: 'sold out',
      },
    ],
    [
      { kind: 'dependency_failed', effect: 'none', status: 500, transient: true },
      {
        status: 500,
        transient: true,
      },
    ],
    [{ kind: 'auth_failed', effect: 'none', why: 'permission' }, { why: 'permission' }],
    [
      { kind: 'rate_limited', effect: 'none', retryAfterMs: 20 },
      {
        retryAfterMs: 20,
        source: 'stated',
      },
    ],
    [{ kind: 'overloaded', effect: 'unknown' }, { source: 'stated' }],
  ])('is taken as it is: %o', async (statement, details) => {
    const { answer } = await said(statement);
    expect(failureOf(answer)).toMatchObject({ kind: statement.kind, effect: statement.effect });
    expect(failureOf(answer).details).toEqual(details);
  });

  it('lets the guard try again, where it says that nothing was done', async () => {
    const { answer, ran } = await said(
      { kind: 'dependency_failed', effect: 'none', transient: true },
      { attempts: 3 },
    );
    expect([gist(answer), ran]).toEqual(['ok', 2]);
  });

  it('keeps the guard from it, where it does not', async () => {
    const { answer, ran } = await said(
      { kind: 'dependency_failed', effect: 'unknown', transient: true },
      { attempts: 3 },
    );
    expect([gist(answer), ran]).toEqual(['dependency_failed, unknown', 1]);
  });

  it('makes a call done that took place all the same', async () => {
    const { shop, answer } = await said({
      kind: 'business_error',
      effect: 'done',
      message: 'sent, but not filed',
    });
    expect(gist(answer)).toBe('result_not_kept, done');
    expect((await shop.rows())[0]?.state).toBe('succeeded');
  });

  it('is evidence in the ledger without its secrets, unless they are to stay', async () => {
    const message = 'sent with Bearer abcdefgh12345';
    const notes = async (redactSecrets?: boolean) => {
      const found: unknown[] = [];
      const shop = desk(redactSecrets === undefined ? {} : { redactSecrets }, (ledger) => ({
        ...ledger,
        move: (key, at, transition, by) => {
          if (transition.to === 'succeeded') found.push(transition.evidence.note);
          return ledger.move(key, at, transition, by);
        },
      }));
      const fails = async () => fail({ kind: 'business_error', effect: 'done', message });
      await shop.run(() => shop.guard.call(mail, fails));
      return JSON.stringify(found);
    };
    expect(await notes()).toContain('sent with Bearer [redacted]');
    expect(await notes(false)).toContain(message);
  });

  it('is recognized by its brand', () => {
    const error = thrownBy(() => fail({ kind: 'business_error', effect: 'none' }));
    expect(isStatedFailure(error)).toBe(true);
    expect(isStatedFailure(new Error('no'))).toBe(false);
    expect(isStatedFailure(undefined)).toBe(false);
  });
});

describe('what cannot be stated', () => {
  const problems = (statement: unknown) => {
    const error = thrownBy(() => fail(statement as Statement));
    if (!isSetupError(error, 'option_out_of_range')) throw new Error('it was taken');
    return error.problems.map(({ field }) => field);
  };

  it.each<[unknown, string[]]>([
    [undefined, ['fail.kind', 'fail.effect']],
    [null, ['fail.kind', 'fail.effect']],
    [{ kind: 'timed_out', effect: 'none' }, ['fail.kind']],
    [{ kind: 'toString', effect: 'none' }, ['fail.kind']],
    [{ kind: 'business_error' }, ['fail.effect']],
    [{ kind: 'business_error', effect: 'maybe' }, ['fail.effect']],
    [
      { kind: 'business_error', effect: 'none', message: 7, code: {} },
      ['fail.message', 'fail.code'],
    ],
    [{ kind: 'business_error', effect: 'none', status: 99 }, ['fail.status']],
    [{ kind: 'business_error', effect: 'none', retryAfterMs: 5 }, ['fail.retryAfterMs']],
    [{ kind: 'dependency_failed', effect: 'none', transient: 'yes' }, ['fail.transient']],
    [{ kind: 'auth_failed', effect: 'none' }, ['fail.why']],
    [{ kind: 'auth_failed', effect: 'none', why: 'mood' }, ['fail.why']],
    [{ kind: 'rate_limited', effect: 'none', retryAfterMs: 0 }, ['fail.retryAfterMs']],
    [{ kind: 'rate_limited', effect: 'none', retryAfterMs: Number.NaN }, ['fail.retryAfterMs']],
    [{ kind: 'rate_limited', effect: 'none', constructor: 1 }, ['fail.constructor']],
  ])('%o', (statement, expected) => {
    expect(problems(statement)).toEqual(expected);
  });

  it('says what is wrong and what to give', () => {
    const error = thrownBy(() => fail({ kind: 'rate_limited', effect: 'none', retryAfterMs: -1 }));
    expect(error).toMatchObject({
      field: 'fail.retryAfterMs',
      reason: "'-1' is not one",
      fix: 'give milliseconds from now, above 0, or leave it out',
    });
  });
});
