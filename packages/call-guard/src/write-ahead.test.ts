import { LedgerError, type LedgerStore } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import { desk, gist } from './order-tools.fixture.js';

const mail = { tool: 'send_mail', args: { to: 'a', subject: 's' }, callId: 'c1' } as const;

/** A ledger whose `method` fails the next `times` times. */
function failing(
  method: 'claim' | 'move' | 'find' | 'submitEvidence' | 'admit',
  times: () => boolean,
): (ledger: LedgerStore) => LedgerStore {
  return (ledger) => ({
    ...ledger,
    [method]: async (...args: unknown[]) => {
      if (times()) throw new LedgerError('full', 'the disk is full');
      return Reflect.apply(ledger[method], ledger, args);
    },
  });
}

describe('the ledger is written before the effect', () => {
  it('the row is there, attempting, while the tool runs', async () => {
    const { run, guard, rows } = desk();
    const during: unknown[] = [];
    await run(() =>
      guard.call(mail, async () => {
        for (const row of await rows()) during.push([row.state, row.attempts.length, row.version]);
        return 'sent';
      }),
    );
    expect(during).toEqual([['attempting', 1, 1]]);
    expect((await rows()).map((row) => [row.state, row.version])).toEqual([['succeeded', 2]]);
  });

  it('a happy call makes two commits and a read makes none', async () => {
    const commits: string[] = [];
    const { run, guard } = desk({}, (ledger) => {
      const counted = (name: 'admit' | 'claim' | 'move' | 'find') => ({
        [name]: (...args: unknown[]) => {
          commits.push(name);
          return Reflect.apply(ledger[name], ledger, args);
        },
      });
      return {
        ...ledger,
        ...counted('admit'),
        ...counted('claim'),
        ...counted('move'),
        ...counted('find'),
      };
    });
    await run(() =>
      guard.call(
        { tool: 'get_order', args: { orderId: 'o1' }, callId: 'r1' },
        async ({ orderId }) => ({ orderId, slot: 'am' }),
      ),
    );
    expect(commits).toEqual([]);
    await run(async () => {
      await guard.call(mail, async () => 'sent');
      await guard.call({ ...mail, callId: 'c2' }, async () => expect.unreachable());
    });
    expect(commits).toEqual(['find', 'admit', 'claim', 'move']);
  });

  it.each(['claim', 'find', 'admit'] as const)(
    'when the ledger fails at %s there is no effect',
    async (method) => {
      let broken = true;
      const { run, guard } = desk(
        {},
        failing(method, () => broken),
      );
      await run(async () => {
        const answer = await guard.call(mail, async () => expect.unreachable());
        expect(gist(answer)).toBe('ledger_unavailable, none');
        broken = false;
        expect(gist(await guard.call(mail, async () => 'sent'))).toBe('ok');
      });
    },
  );

  it('an outcome that is unknown stays unknown when the ledger then fails', async () => {
    let broken = false;
    const { run, guard } = desk(
      { settings: { attempts: 1 } },
      failing('find', () => broken),
    );
    await run(async () => {
      await guard.call(mail, async () => {
        throw new Error('who knows');
      });
      broken = true;
      const again = await guard.call({ ...mail, callId: 'c2' }, async () => expect.unreachable());
      expect(gist(again)).toBe('ledger_unavailable, unknown');
    });
  });

  it('an error of the store that is no LedgerError is not hidden', async () => {
    const { run, guard } = desk({}, (ledger) => ({
      ...ledger,
      claim: () => Promise.reject(new TypeError('a bug')),
    }));
    await expect(run(() => guard.call(mail, async () => expect.unreachable()))).rejects.toThrow(
      'a bug',
    );
  });
});

describe('a settlement that cannot be written', () => {
  it('DU-23: is written again after three failures, and the tool runs once', async () => {
    let left = 3;
    const { run, guard, clock, rows } = desk(
      {},
      failing('move', () => left-- > 0),
    );
    let ran = 0;
    const answer = run(() => guard.call(mail, async () => ++ran));
    await clock.advance(1_000);
    expect(await answer).toMatchObject({ ok: true, result: 1 });
    expect(ran).toBe(1);
    expect(left).toBe(-1);
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    expect(guard.counts().warning).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  it('DU-23: for a long time, gives the result with a warning and is written in the background', async () => {
    let broken = true;
    const { run, guard, clock, rows, events } = desk(
      {},
      failing('move', () => broken),
    );
    let ran = 0;
    await run(async () => {
      const answer = guard.call(mail, async () => ++ran);
      await clock.advance(10_000);
      expect(await answer).toMatchObject({ ok: true, result: 1 });
      expect(events.of('warning').map((event) => event.code)).toEqual(['settlement_delayed']);
      expect((await rows()).map((row) => row.state)).toEqual(['attempting']);
      expect(guard.counts().effect_settled).toBe(0);

      const equal = guard.call({ ...mail, callId: 'c2' }, async () => expect.unreachable());
      await clock.advance(500);
      broken = false;
      await clock.advance(2_500);
      expect(await equal).toMatchObject({ ok: true, result: 1, folded: 'folded' });
    });
    expect(ran).toBe(1);
    expect(guard.counts().effect_settled).toBe(1);
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    expect(clock.pending()).toBe(0);
  });

  it('DU-23: for ever, never leads to a second effect', async () => {
    const { run, guard, clock } = desk(
      {},
      failing('move', () => true),
    );
    let ran = 0;
    await run(async () => {
      const first = guard.call(mail, async () => ++ran);
      await clock.advance(10_000);
      expect(gist(await first)).toBe('ok');
      const second = guard.call({ ...mail, callId: 'c2' }, async () => ++ran);
      await clock.advance(60_000);
      expect(gist(await second)).toBe('outcome_unknown, unknown');
    });
    expect(ran).toBe(1);
    // The one that tries again in the background, and holds up nothing.
    expect(clock.pending()).toBe(1);
  });

  it('whose late answer cannot be written at once is written later', async () => {
    let left = 0;
    const { run, guard, clock, rows } = desk(
      {},
      failing('submitEvidence', () => left-- > 0),
    );
    let answerLate: (value: string) => void = () => {};
    const answer = run(() =>
      guard.call(mail, () => new Promise<string>((resolve) => (answerLate = resolve))),
    );
    await clock.advance(1_000);
    expect(gist(await answer)).toBe('timed_out, unknown');
    left = 2;
    answerLate('sent');
    await clock.advance(1_000);
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    expect(clock.pending()).toBe(0);
  });
});
