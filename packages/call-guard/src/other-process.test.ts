import { ownerIdentity } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import type { CallContext } from './call-context.js';
import { coded, desk, gate, gist, never } from './order-tools.fixture.js';

const mail = (callId: string, to = 'A') =>
  ({ tool: 'send_mail', args: { to, subject: 's' }, callId }) as const;
const delivery = (callId: string) =>
  ({ tool: 'set_delivery', args: { orderId: 'o1', slot: 'A' }, callId }) as const;
const close = (callId: string) =>
  ({ tool: 'close_order', args: { orderId: 'o1' }, callId }) as const;

describe('another process at work on the same intent', () => {
  it('is waited for while it lives, and its result answers', async () => {
    const { run, guard, other, clock } = desk();
    const elsewhere = other();
    const work = gate<string>();
    const theirs = elsewhere.inRun({ intentId: 'i1' }, () =>
      elsewhere.call(mail('c1'), () => work.promise),
    );
    await clock.advance(0);
    const ours = run(() => guard.call(mail('c2'), async () => expect.unreachable()));
    await clock.advance(500);
    work.open('sent');
    await clock.advance(50);
    expect(await theirs).toMatchObject({ result: 'sent', folded: false });
    expect(await ours).toMatchObject({ result: 'sent', folded: 'folded' });
    expect(clock.pending()).toBe(0);
  });

  it('that has done it meanwhile answers, also where finished results are not folded', async () => {
    const { guard, other } = desk();
    const elsewhere = other();
    const sync = (callId: string) => ({ tool: 'legacy_sync', args: {}, callId }) as const;
    await elsewhere.inRun({ intentId: 'i1' }, () => elsewhere.call(mail('c0'), async () => 'sent'));
    await guard.inRun({ intentId: 'i1' }, async () => {
      // From here on the invocation has read its rows.
      await guard.call(mail('c1'), async () => expect.unreachable());
      await elsewhere.inRun({ intentId: 'i1' }, () =>
        elsewhere.call(sync('c2'), async () => 'synced'),
      );
      const answer = await guard.call(sync('c3'), async () => expect.unreachable());
      expect(answer).toMatchObject({ result: 'synced', folded: 'ahead' });
      // Asked for once more, it is wanted once more.
      const again = await guard.call(sync('c4'), async () => 'synced again');
      expect(again).toMatchObject({ result: 'synced again', folded: false });
    });
  });

  it('that was at it when this one read its rows, and has done it and another write since, answers', async () => {
    const { guard, other, clock } = desk();
    const elsewhere = other();
    const set = (slot: string, callId: string) =>
      ({ tool: 'set_delivery', args: { orderId: 'o1', slot }, callId }) as const;
    const work = gate<string>();
    const theirs = elsewhere.inRun({ intentId: 'i1' }, async () => {
      await elsewhere.call(mail('c0'), async () => 'sent');
      await elsewhere.call(set('A', 'c2'), () => work.promise);
      await elsewhere.call(set('B', 'c3'), async () => 'B is set');
    });
    await clock.advance(0);
    await guard.inRun({ intentId: 'i1' }, async () => {
      // Reads its rows here, and finds A being set.
      await guard.call(mail('c1'), async () => expect.unreachable());
      work.open('A is set');
      await theirs;
      const answer = await guard.call(set('A', 'c4'), async () => expect.unreachable());
      expect(answer).toMatchObject({ result: 'A is set', folded: 'folded' });
    });
  });

  it('that has done it meanwhile, and another write since, answers', async () => {
    const { guard, other } = desk();
    const elsewhere = other();
    const set = (slot: string, callId: string) =>
      ({ tool: 'set_delivery', args: { orderId: 'o1', slot }, callId }) as const;
    await elsewhere.inRun({ intentId: 'i1' }, () => elsewhere.call(mail('c0'), async () => 'sent'));
    await guard.inRun({ intentId: 'i1' }, async () => {
      await guard.call(mail('c1'), async () => expect.unreachable());
      await elsewhere.inRun({ intentId: 'i1' }, async () => {
        await elsewhere.call(set('A', 'c2'), async () => 'A is set');
        await elsewhere.call(set('B', 'c3'), async () => 'B is set');
      });
      for (const slot of ['A', 'B']) {
        const answer = await guard.call(set(slot, `own ${slot}`), async () => expect.unreachable());
        expect(answer).toMatchObject({ result: `${slot} is set` });
      }
    });
  });

  it('that lives on and on is not waited for beyond its lease', async () => {
    const { run, guard, other, clock } = desk();
    const elsewhere = other();
    const theirs = elsewhere.inRun({ intentId: 'i1' }, () =>
      elsewhere.call({ tool: 'legacy_sync', args: {}, callId: 'c1' }, never),
    );
    await clock.advance(0);
    const ours = run(() =>
      guard.call({ tool: 'legacy_sync', args: {}, callId: 'c2' }, async () => expect.unreachable()),
    );
    await clock.advance(30_200);
    expect(gist(await ours)).toBe('in_flight, unknown');
    theirs.catch(() => {});
  });

  it('is not waited for beyond the deadline of the run', async () => {
    const { guard, other, clock } = desk();
    const elsewhere = other();
    const theirs = elsewhere.inRun({ intentId: 'i1' }, () => elsewhere.call(mail('c1'), never));
    theirs.catch(() => {});
    await clock.advance(0);
    const ours = guard.inRun({ intentId: 'i1', limits: { deadline: 300 } }, () =>
      guard.call(mail('c2'), async () => expect.unreachable()),
    );
    await clock.advance(299);
    expect(gist(await ours)).toBe('in_flight, unknown');
  });

  it.each(['deadline_exceeded', 'tool_disabled', 'cancelled'])(
    'leaves a call in doubt that is refused before it could wait: %s',
    async (kind) => {
      const { guard, other, clock } = desk();
      const elsewhere = other();
      const theirs = elsewhere.inRun({ intentId: 'i1' }, () => elsewhere.call(mail('c1'), never));
      theirs.catch(() => {});
      await clock.advance(0);
      if (kind === 'tool_disabled') guard.breakers.open('send_mail');
      const signal = kind === 'cancelled' ? AbortSignal.abort() : new AbortController().signal;
      const limits = { deadline: 100 };
      const ours = guard.inRun({ intentId: 'i1', limits }, async () => {
        if (kind === 'deadline_exceeded') await clock.advance(100);
        return guard.call({ ...mail('c2'), signal }, async () => expect.unreachable());
      });
      expect(gist(await ours)).toBe(`${kind}, unknown`);
    },
  );

  it('that stopped renewing its lease has left an unknown outcome', async () => {
    const { run, guard, clock, ledger, rows } = desk();
    await ledger.claim(
      {
        tenant: 'default',
        runId: 'run:default/i1',
        intentId: 'i1',
        scope: 'intent',
        tool: 'send_mail',
        toolVersion: '1.0.0',
        class: 'irreversible',
        identity: '{"subject":"s","to":"A"}',
        keyGiven: false,
        argsDigest: 'd',
        ordinal: 0,
        instance: 'tool:send_mail',
        frozenArgs: new Uint8Array(),
        place: {},
      },
      { owner: { ...ownerIdentity('frozen'), host: 'afar' }, leaseMs: 30_000, attemptId: 'a1' },
    );
    const ours = run(() => guard.call(mail('c2'), async () => expect.unreachable()));
    await clock.advance(29_000);
    expect((await rows()).map((row) => row.state)).toEqual(['attempting']);
    await clock.advance(1_100);
    expect(gist(await ours)).toBe('outcome_unknown, unknown');
    expect((await rows()).map((row) => row.state)).toEqual(['unknown']);
    expect(clock.pending()).toBe(0);
  });

  it('whose process is proven gone is not waited for', async () => {
    const { run, guard, clock, ledger } = desk();
    await ledger.claim(
      {
        tenant: 'default',
        runId: 'run:default/i1',
        intentId: 'i1',
        scope: 'intent',
        tool: 'set_delivery',
        toolVersion: '1.0.0',
        class: 'idempotent-write',
        identity: '{"orderId":"o1","slot":"A"}',
        keyGiven: false,
        argsDigest: 'd',
        ordinal: 0,
        instance: 'tool:set_delivery',
        frozenArgs: new TextEncoder().encode('{"orderId":"o1","slot":"A"}'),
        place: {},
      },
      {
        owner: { ...ownerIdentity('dead'), processStart: '1' },
        leaseMs: 30_000,
        attemptId: 'a1',
      },
    );
    let sent: unknown;
    const ours = await run(() =>
      guard.call(delivery('c2'), async (args, call) => {
        sent = args;
        call.headers();
        return 'set';
      }),
    );
    expect(ours).toMatchObject({ ok: true, result: 'set', folded: false });
    expect(sent).toEqual({ orderId: 'o1', slot: 'A' });
    expect(clock.pending()).toBe(0);
  });

  it('that works on something else in the run is waited for as well', async () => {
    const { run, guard, other, clock } = desk();
    const elsewhere = other();
    const work = gate<string>();
    const theirs = elsewhere.inRun({ intentId: 'i1' }, () =>
      elsewhere.call(mail('c1', 'A'), () => work.promise),
    );
    await clock.advance(0);
    const ours = run(() => guard.call(mail('c2', 'B'), async () => 'sent to B'));
    await clock.advance(500);
    work.open('sent to A');
    await clock.advance(50);
    expect(await theirs).toMatchObject({ result: 'sent to A' });
    expect(await ours).toMatchObject({ result: 'sent to B', folded: false });
  });

  it('a caller that gives up is not kept waiting', async () => {
    const { run, guard, other, clock } = desk();
    const elsewhere = other();
    const caller = new AbortController();
    const theirs = elsewhere.inRun({ intentId: 'i1' }, () => elsewhere.call(mail('c1'), never));
    await clock.advance(0);
    const ours = run(() =>
      guard.call({ ...mail('c2'), signal: caller.signal }, async () => expect.unreachable()),
    );
    await clock.advance(100);
    caller.abort();
    await clock.advance(0);
    expect(gist(await ours)).toBe('in_flight, unknown');
    await clock.advance(3_000);
    expect(gist(await theirs)).toBe('timed_out, unknown');
    expect(clock.pending()).toBe(0);
  });

  it('DU-26: has the newer epoch, and the older one may no longer claim', async () => {
    const { run, guard, other } = desk();
    const elsewhere = other();
    const answers = await run(async () => {
      const before = await guard.call(mail('c1', 'A'), async () => 'sent');
      const theirs = await elsewhere.inRun({ intentId: 'i1' }, () =>
        elsewhere.call(mail('c2', 'B'), async () => 'sent'),
      );
      const stale = await guard.call(mail('c3', 'C'), async () => expect.unreachable());
      // What is known is answered all the same.
      const known = await guard.call(mail('c4', 'B'), async () => expect.unreachable());
      return [before, theirs, stale, known];
    });
    expect(answers.map(gist)).toEqual(['ok', 'ok', 'in_flight, unknown', 'ok']);
  });

  it('an outcome that it made known is known here too', async () => {
    const { run, guard, other, clock } = desk();
    const elsewhere = other();
    const work = gate<string>();
    const theirs = elsewhere.inRun({ intentId: 'i1' }, () =>
      elsewhere.call(mail('c1'), () => work.promise),
    );
    await clock.advance(1_000);
    expect(gist(await theirs)).toBe('timed_out, unknown');
    await run(async () => {
      const before = await guard.call(mail('c2'), async () => expect.unreachable());
      expect(gist(before)).toBe('outcome_unknown, unknown');
      work.open('sent');
      await clock.advance(0);
      const after = await guard.call(mail('c3'), async () => expect.unreachable());
      expect(after).toMatchObject({ ok: true, result: 'sent', folded: 'folded' });
    });
  });

  it('DU-19: whoever settles second adopts the result of the first', async () => {
    const { run, guard, other, clock, ledger, rows } = desk();
    const elsewhere = other();
    const works = { theirs: gate<string>(), ours: gate<string>() };
    const carry = (work: Promise<string>) => (_args: unknown, call: CallContext) => {
      call.headers();
      return work;
    };
    const theirs = elsewhere.inRun({ intentId: 'i1' }, () =>
      elsewhere.call(delivery('c1'), carry(works.theirs.promise)),
    );
    await clock.advance(0);
    // A process that stands still renews nothing; somebody else finds its lease run out.
    const [row] = await rows();
    if (row === undefined) throw new Error('no row');
    await ledger.move(
      row.key,
      { version: row.version },
      { to: 'unknown', since: 0, reason: 'its lease ran out', evidence: { by: 'lease-expiry' } },
    );
    const ours = run(() => guard.call(delivery('c2'), carry(works.ours.promise)));
    await clock.advance(100);
    expect((await rows()).map((effect) => effect.attempts.length)).toEqual([2]);
    works.theirs.open('by the first');
    await clock.advance(0);
    works.ours.open('by the second');
    await clock.advance(0);
    expect(await theirs).toMatchObject({ ok: true, result: 'by the first' });
    expect(await ours).toMatchObject({ ok: true, result: 'by the first', folded: 'folded' });
    expect((await rows()).map((effect) => effect.state)).toEqual(['succeeded']);
    await clock.advance(10_000);
    expect(clock.pending()).toBe(0);
  });
});

describe('a wish across all intents', () => {
  it('is one effect, whichever run makes it', async () => {
    const { run, guard, other } = desk();
    let ran = 0;
    const first = await run(() => guard.call(close('c1'), async () => ++ran), 'i1');
    const elsewhere = other();
    const second = await elsewhere.inRun({ intentId: 'i2' }, () =>
      elsewhere.call(close('c1'), async () => ++ran),
    );
    expect(first).toMatchObject({ result: 1, folded: false });
    expect(second).toMatchObject({ result: 1, folded: 'folded' });
  });

  it('whose outcome is unknown is taken up by another run, which then still may claim', async () => {
    const { run, guard, clock } = desk({ settings: { attempts: 1 } });
    await run(
      () =>
        guard.call(close('c1'), async (_args, call) => {
          call.headers();
          throw new Error('who knows');
        }),
      'i1',
    );
    // The other run claims before and after.
    const answers = await run(async () => {
      await guard.call(mail('m0', 'A'), async () => 'sent');
      const work = gate<string>();
      const closing = guard.call(close('c2'), (_args, call) => {
        call.headers();
        return work.promise;
      });
      await clock.advance(900);
      work.open('closed');
      const closed = await closing;
      const mailed = await guard.call(mail('m1', 'B'), async () => 'sent');
      return [closed, mailed];
    }, 'i2');
    expect(answers.map(gist)).toEqual(['ok', 'ok']);
  });

  it('is renewed in the run that it belongs to while it is worked on', async () => {
    const renewed: [string, boolean][] = [];
    const { run, guard, clock, rows } = desk(
      { settings: { attempts: 1, leaseMs: 1_500 } },
      (ledger) => ({
        ...ledger,
        renew: async (runId, claimant) => {
          const done = await ledger.renew(runId, claimant);
          renewed.push([runId, done]);
          return done;
        },
      }),
    );
    await run(
      () =>
        guard.call(close('c1'), async (_args, call) => {
          call.headers();
          throw new Error('who knows');
        }),
      'i1',
    );
    const answer = run(
      () =>
        guard.call(close('c2'), async (_args, call) => {
          call.headers();
          await clock.sleep(900);
          return 'closed';
        }),
      'i2',
    );
    await clock.advance(900);
    expect(gist(await answer)).toBe('ok');
    expect(renewed).toEqual([['run:default/i1', true]]);
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    expect(clock.pending()).toBe(0);
  });

  it('DU-38: that took over while this one slept between two tries keeps it from sending again', async () => {
    const { run, guard, clock, ledger, rows } = desk({
      settings: { backoffBaseMs: 200_000, backoffCapMs: 200_000 },
      random: () => 0.99,
    });
    let sent = 0;
    const ours = run(() =>
      guard.call(close('c1'), async () => {
        sent += 1;
        throw coded('ECONNREFUSED');
      }),
    );
    await clock.advance(0);
    const [row] = await rows();
    if (row === undefined) throw new Error('no row');
    // As another process does it with the row of one that was stopped.
    await ledger.move(
      row.key,
      { version: row.version },
      { to: 'unknown', since: 0, reason: 'lost', evidence: { by: 'lease-expiry' } },
    );
    await clock.advance(200_000);
    await ours;
    expect(sent).toBe(1);
  });
});
