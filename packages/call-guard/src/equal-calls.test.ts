import { describe, expect, it } from 'vitest';
import { createGuard } from './guard.js';
import { coded, desk, failureOf, gate, gist, never, orderTools } from './order-tools.fixture.js';

const mail = (to: string, callId: string) =>
  ({ tool: 'send_mail', args: { to, subject: 's' }, callId }) as const;
const delivery = (slot: string, callId: string) =>
  ({ tool: 'set_delivery', args: { orderId: 'o1', slot }, callId }) as const;

describe('the generation rule', () => {
  it('set A, set B, set A runs three times under three keys', async () => {
    const { run, guard, rows } = desk();
    const slots: string[] = [];
    const answers = await run(async () => {
      const set = (slot: string, callId: string) =>
        guard.call(delivery(slot, callId), async (args, call) => {
          call.headers();
          slots.push(args.slot);
          return slots.length;
        });
      return [await set('A', 'c1'), await set('B', 'c2'), await set('A', 'c3')];
    });
    expect(slots).toEqual(['A', 'B', 'A']);
    expect(answers.map((answer) => answer.ok && answer.folded)).toEqual([false, false, false]);
    const keys = answers.map((answer) => (answer.ok ? answer.key : undefined));
    expect(new Set(keys).size).toBe(3);
    expect((await rows()).map((row) => row.generation)).toEqual([0, 0, 1]);
  });

  it('set A twice in a row runs once', async () => {
    const { run, guard } = desk();
    const answers = await run(async () => [
      await guard.call(delivery('A', 'c1'), async () => 'set'),
      await guard.call(delivery('A', 'c2'), async () => expect.unreachable()),
    ]);
    expect(answers[1]).toMatchObject({
      ok: true,
      result: 'set',
      folded: 'folded',
      attempts: 0,
      originalCallId: 'c1',
    });
  });

  it('mail A, mail B, mail A mails A once', async () => {
    const { run, guard } = desk();
    const mailed: string[] = [];
    const send = (to: string, callId: string) =>
      guard.call(mail(to, callId), async (args) => {
        mailed.push(args.to);
        return mailed.length;
      });
    const answers = await run(async () => [
      await send('A', 'c1'),
      await send('B', 'c2'),
      await send('A', 'c3'),
    ]);
    expect(mailed).toEqual(['A', 'B']);
    expect(answers[2]).toMatchObject({ ok: true, result: 1, folded: 'folded' });
  });

  it('waits for its equal no longer than it may take itself', async () => {
    const { run, guard, after, rows } = desk();
    const slow = gate<string>();
    await run(async () => {
      const first = guard.call(mail('A', 'c1'), () => slow.promise);
      const second = await after(
        500,
        guard.call({ ...mail('A', 'c2'), deadlineMs: 500 }, async () => expect.unreachable()),
      );
      expect(gist(second)).toBe('in_flight, unknown');
      slow.open('sent');
      expect(await first).toMatchObject({ result: 'sent', folded: false });
    });
    expect((await rows()).length).toBe(1);
  });

  it('DU-08: a note that is named volatile does not make another wish, an identity argument does', async () => {
    const { run, guard } = desk();
    let ran = 0;
    const send = (subject: string, note: string, callId: string) =>
      guard.call(
        { tool: 'send_mail', args: { to: 'A', subject, note }, callId },
        async () => ++ran,
      );
    const answers = await run(async () => [
      await send('s', 'reworded once', 'c1'),
      await send('s', 'reworded twice', 'c2'),
      await send('t', 'reworded once', 'c3'),
    ]);
    expect(ran).toBe(2);
    expect(answers.map((answer) => answer.ok && answer.result)).toEqual([1, 1, 2]);
  });

  it('what was undone runs again, at its own place too', async () => {
    const { run, guard, rows, ledger } = desk();
    let ran = 0;
    const send = () => guard.call(mail('A', 'c1'), async () => ++ran);
    await run(send);
    const [row] = await rows();
    if (row?.state !== 'succeeded') throw new Error('not there');
    const evidence = { by: 'person' as const };
    const manual = await ledger.move(
      row.key,
      { version: row.version },
      { to: 'settled', settlement: { settled: 'manual', reason: 'by hand' }, evidence },
    );
    const version = 'moved' in manual ? manual.moved.version : 0;
    await ledger.move(
      row.key,
      { version },
      { to: 'settled', settlement: { settled: 'compensated', by: row.key }, evidence },
    );
    expect(await run(send)).toMatchObject({ ok: true, result: 2, folded: false });
    expect((await rows()).map((effect) => effect.generation)).toEqual([0, 1]);
    expect(await run(send)).toMatchObject({ ok: true, result: 2, folded: 'replayed' });
    expect(ran).toBe(2);
  });

  it('DU-35: what certainly failed may be tried again under the same key', async () => {
    const { run, guard, rows, after } = desk({ settings: { attempts: 1 } });
    const answers = await after(
      0,
      run(async () => [
        await guard.call(mail('A', 'c1'), async () => {
          throw coded('ECONNREFUSED');
        }),
        await guard.call(mail('A', 'c2'), async () => 'sent'),
      ]),
    );
    expect(answers.map(gist)).toEqual(['transport_lost, none', 'ok']);
    expect((await rows()).map((row) => [row.state, row.generation, row.attempts.length])).toEqual([
      ['succeeded', 0, 2],
    ]);
  });

  it('DU-07: the model asks again under a new call id after an unknown outcome', async () => {
    const { run, guard } = desk();
    const answers = await run(async () => [
      await guard.call(mail('A', 'c1'), async () => {
        throw coded('ETIMEDOUT');
      }),
      await guard.call(mail('A', 'c2'), async () => expect.unreachable()),
    ]);
    expect(answers.map(gist)).toEqual(['transport_lost, unknown', 'outcome_unknown, unknown']);
    const { forModel, next } = failureOf(answers[1] ?? expect.unreachable());
    expect(next.by).toBe('nobody');
    expect(forModel).toContain('do not repeat');
  });

  it('another intent is another wish, except for what is open or unknown in the same thread', async () => {
    const { guard } = desk();
    const inThread = <T>(intentId: string, work: () => Promise<T>, threadId = 't1') =>
      guard.inRun({ intentId, threadId }, work);
    let ran = 0;
    const send = (to: string, callId: string) => () =>
      guard.call(mail(to, callId), async () => ++ran);
    await inThread('i1', send('A', 'c1'));
    expect(await inThread('i2', send('A', 'c2'))).toMatchObject({ result: 2, folded: false });
    const lose = () =>
      guard.call(mail('B', 'c3'), async () => {
        throw coded('ECONNRESET');
      });
    expect(gist(await inThread('i3', lose))).toBe('transport_lost, unknown');
    expect(gist(await inThread('i4', send('B', 'c4')))).toBe('outcome_unknown, unknown');
    expect(await inThread('i5', send('B', 'c5'), 't2')).toMatchObject({ result: 3 });
  });

  it('a success that no conversation holds the answer of answers the next equal call, once', async () => {
    const { guard } = desk();
    const admission = (intentId: string) => ({
      tenant: 'default',
      runId: `r-${intentId}`,
      intentId,
      threadId: 't1',
    });
    const { adapter } = guard;
    const call = (intentId: string, callId: string, answered: boolean) => {
      const identity = admission(intentId);
      const { run } = adapter.openRun(identity, `${intentId}-once`, {
        ...identity,
        inputId: intentId,
        inputDigest: intentId,
        registryDigest: 'd',
      });
      const host = { run, answered: () => answered };
      return adapter.call({ ...mail('A', callId) }, host, async () => intentId);
    };
    await call('i1', 'c1', false);
    expect(await call('i2', 'c2', false)).toMatchObject({ result: 'i1', folded: 'ahead' });
    expect(await call('i2', 'c3', false)).toMatchObject({ result: 'i2', folded: false });
    expect(await call('i3', 'c4', true)).toMatchObject({ result: 'i3', folded: false });
  });
});

describe('a key of the caller', () => {
  it('with the same arguments is the same wish, with others a conflict', async () => {
    const { run, guard } = desk();
    const answers = await run(async () => [
      await guard.call({ ...mail('A', 'c1'), callKey: 'k' }, async () => 'sent'),
      await guard.call({ ...mail('A', 'c2'), callKey: 'k' }, async () => expect.unreachable()),
      await guard.call({ ...mail('B', 'c3'), callKey: 'k' }, async () => expect.unreachable()),
      await guard.call(mail('B', 'c4'), async () => 'sent to B'),
    ]);
    expect(answers.map(gist)).toEqual(['ok', 'ok', 'intent_conflict, none', 'ok']);
  });
});

describe('by place first', () => {
  const at = (args: { to: string; subject: string }, callId = 'c1', position = 0) =>
    ({ tool: 'send_mail', args, callId, place: { messageId: 'm1', position } }) as const;

  it('the same place with the same arguments is answered with its own result', async () => {
    const { run, guard } = desk();
    const request = at({ to: 'A', subject: 's' });
    await run(() => guard.call(request, async () => 'sent'));
    // A replay is another invocation.
    expect(await run(() => guard.call(request, async () => expect.unreachable()))).toMatchObject({
      result: 'sent',
      folded: 'replayed',
    });
  });

  it('LG-14: other arguments at the same place are a conflict, never the old result', async () => {
    const { run, guard, rows } = desk();
    await run(() => guard.call(at({ to: 'A', subject: 's' }), async () => 'sent'));
    const edited = await run(() =>
      guard.call(at({ to: 'B', subject: 's' }), async () => expect.unreachable()),
    );
    expect(gist(edited)).toBe('intent_conflict, none');
    expect(failureOf(edited).next).toEqual({ by: 'user', advice: 'confirm' });
    expect((await rows()).length).toBe(1);
  });

  it('LG-14: a tool may say that an edit is a new effect', async () => {
    const { run, guard } = desk();
    const write = (text: string) =>
      run(() =>
        guard.call(
          {
            tool: 'write_note',
            args: { text },
            callId: 'c1',
            place: { messageId: 'm1', position: 0 },
          },
          async (args) => args.text,
        ),
      );
    expect(await write('A')).toMatchObject({ result: 'A', folded: false });
    expect(await write('B')).toMatchObject({ result: 'B', folded: false });
    expect(await write('B')).toMatchObject({ result: 'B', folded: 'replayed' });
  });

  it('LG-14: a first that certainly failed is no obstacle', async () => {
    const { run, guard, after } = desk({ settings: { attempts: 1 } });
    await after(
      0,
      run(() =>
        guard.call(at({ to: 'A', subject: 's' }), async () => {
          throw coded('ECONNREFUSED');
        }),
      ),
    );
    const edited = await run(() => guard.call(at({ to: 'B', subject: 's' }), async () => 'B'));
    expect(edited).toMatchObject({ result: 'B', folded: false });
  });

  it('an unknown first is an obstacle to an edit', async () => {
    const { run, guard } = desk();
    await run(() =>
      guard.call(at({ to: 'A', subject: 's' }), async () => {
        throw coded('ECONNRESET');
      }),
    );
    const edited = await run(() =>
      guard.call(at({ to: 'B', subject: 's' }), async () => expect.unreachable()),
    );
    expect(gist(edited)).toBe('intent_conflict, none');
  });

  it('a call id tells nothing in a conversation whose messages have no ids', async () => {
    const { run, guard } = desk();
    const request = (to: string) =>
      ({ ...at({ to, subject: 's' }), place: { position: 0 } }) as const;
    const answers = await run(async () => [
      await guard.call(request('A'), async () => 'A'),
      await guard.call(request('B'), async () => 'B'),
    ]);
    expect(answers).toMatchObject([{ result: 'A' }, { result: 'B' }]);
  });
});

describe('equal calls in one message', () => {
  const message = (tool: string, calls: readonly object[]) =>
    calls.map((args, position) => ({
      tool,
      args,
      callId: `c${position}`,
      place: { messageId: 'm1', position },
      siblings: calls.map((sibling) => ({ tool, args: sibling })),
    }));

  it('LG-11: are one effect by default, whatever the order of their keys', async () => {
    const { run, guard } = desk();
    let ran = 0;
    const answers = await run(() =>
      Promise.all(
        message('send_mail', [
          { to: 'A', subject: 's' },
          { subject: 's', to: 'A' },
        ]).map((request) => guard.call(request, async () => ++ran)),
      ),
    );
    expect(ran).toBe(1);
    expect(answers).toMatchObject([
      { result: 1, folded: false },
      { result: 1, folded: 'folded', originalCallId: 'c0' },
    ]);
  });

  it('LG-11: are as many effects as there are where that is deliberate, by position', async () => {
    const { run, guard, rows } = desk();
    const requests = message('give_coupon', [{ to: 'A' }, { to: 'A' }, { to: 'B' }, { to: 'A' }]);
    let ran = 0;
    const give = () =>
      run(() =>
        // Whichever order they finish in.
        Promise.all([...requests].reverse().map((r) => guard.call(r, async () => ++ran))),
      );
    await give();
    expect(ran).toBe(4);
    const ordinals = (await rows()).map((row) => [row.place.callId, row.ordinal]);
    expect(new Map(ordinals.map(([id, ordinal]) => [String(id), ordinal]))).toEqual(
      new Map([
        ['c0', 0],
        ['c1', 1],
        ['c2', 0],
        ['c3', 2],
      ]),
    );
    const again = await give();
    expect(ran).toBe(4);
    expect(again.map((answer) => answer.ok && answer.folded)).toEqual(Array(4).fill('replayed'));
  });
});

describe('equal calls at the same time', () => {
  it('DU-21: fifty run once and all get the result', async () => {
    const { run, guard, clock, rows } = desk();
    const work = gate<string>();
    let ran = 0;
    const answers = run(() =>
      Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          guard.call(mail('A', `c${index}`), () => {
            ran += 1;
            return work.promise;
          }),
        ),
      ),
    );
    await clock.advance(10);
    work.open('sent');
    const all = await answers;
    expect(ran).toBe(1);
    expect(all.map((answer) => answer.ok && answer.result)).toEqual(Array(50).fill('sent'));
    expect(all.filter((answer) => answer.ok && answer.folded === false).length).toBe(1);
    expect((await rows()).length).toBe(1);
    expect(guard.counts()).toMatchObject({ effect_declared: 1, effect_folded: 49 });
    expect(clock.pending()).toBe(0);
  });

  it('LG-10: two invocations of one intent run an equal call once', async () => {
    const { run, guard } = desk();
    let ran = 0;
    const invoke = (callId: string) => run(() => guard.call(mail('A', callId), async () => ++ran));
    const answers = await Promise.all([invoke('c1'), invoke('c2')]);
    expect(ran).toBe(1);
    expect(answers.map((answer) => answer.ok && answer.result)).toEqual([1, 1]);
  });

  it('share a failure without trying again', async () => {
    const { run, guard, after } = desk({ settings: { attempts: 1 } });
    let ran = 0;
    const answers = await after(
      0,
      run(() =>
        Promise.all(
          ['c1', 'c2', 'c3'].map((callId) =>
            guard.call(mail('A', callId), async () => {
              ran += 1;
              throw coded('ECONNREFUSED');
            }),
          ),
        ),
      ),
    );
    expect(ran).toBe(1);
    expect(answers.map(gist)).toEqual(Array(3).fill('transport_lost, none'));
    expect(answers.map((answer) => failureOf(answer).callId)).toEqual(['c1', 'c2', 'c3']);
  });

  it('DU-35: are told of an unknown outcome without trying again', async () => {
    const { run, guard } = desk();
    let ran = 0;
    const answers = await run(() =>
      Promise.all(
        ['c1', 'c2'].map((callId) =>
          guard.call(mail('A', callId), async () => {
            ran += 1;
            throw coded('ECONNRESET');
          }),
        ),
      ),
    );
    expect(ran).toBe(1);
    expect(answers.map(gist)).toEqual(['transport_lost, unknown', 'outcome_unknown, unknown']);
  });

  it('do not inherit that the caller of the first gave up before it began', async () => {
    const { guard, clock } = desk();
    const caller = new AbortController();
    const durable = gate<undefined>();
    const { adapter } = guard;
    const identity = { tenant: 'default', runId: 'r1', intentId: 'i1' };
    const host = {
      run: adapter.openRun(identity, 'once').run,
      barrier: () => durable.promise,
    };
    const first = adapter.call({ ...mail('A', 'c1'), signal: caller.signal }, host, async () =>
      expect.unreachable(),
    );
    const second = adapter.call(mail('A', 'c2'), { run: host.run }, async () => 'sent');
    await clock.advance(0);
    caller.abort();
    durable.open(undefined);
    expect(gist(await first)).toBe('cancelled, none');
    expect(await second).toMatchObject({ ok: true, result: 'sent', folded: false });
  });

  it('do not inherit that the caller of the first gave up while it was written down', async () => {
    const caller = new AbortController();
    const { run, guard } = desk({}, (ledger) => ({
      ...ledger,
      claim: async (...args) => {
        const found = await ledger.claim(...args);
        caller.abort();
        return found;
      },
    }));
    const answers = await run(() =>
      Promise.all([
        guard.call({ ...mail('A', 'c1'), signal: caller.signal }, async () => expect.unreachable()),
        guard.call(mail('A', 'c2'), async () => 'sent'),
      ]),
    );
    expect(answers.map(gist)).toEqual(['cancelled, none', 'ok']);
  });

  it('do not inherit a refusal that is about the place of the first', async () => {
    const { run, guard } = desk();
    const place = { messageId: 'm1', position: 0 };
    await run(() => guard.call({ ...mail('A', 'c1'), place }, async () => 'A'));
    const answers = await run(() =>
      Promise.all([
        guard.call({ ...mail('B', 'c1'), place }, async () => expect.unreachable()),
        guard.call(
          { ...mail('B', 'c2'), place: { messageId: 'm2', position: 0 } },
          async () => 'B',
        ),
      ]),
    );
    expect(answers.map(gist)).toEqual(['intent_conflict, none', 'ok']);
  });

  it('end their waiting when their own caller gives up', async () => {
    const { run, guard, clock } = desk();
    const caller = new AbortController();
    const work = gate<string>();
    const answers = run(() =>
      Promise.all([
        guard.call(mail('A', 'c1'), () => work.promise),
        guard.call({ ...mail('A', 'c2'), signal: caller.signal }, async () => expect.unreachable()),
      ]),
    );
    await clock.advance(0);
    caller.abort();
    await clock.advance(0);
    work.open('sent');
    expect((await answers).map(gist)).toEqual(['ok', 'cancelled, unknown']);
    expect(clock.pending()).toBe(0);
  });

  it('a call inside an equal one is told so instead of waiting for itself', async () => {
    const { run, guard, clock } = desk();
    let inner: string | undefined;
    const answer = await run(() =>
      guard.call(mail('A', 'c1'), async () => {
        inner = gist(
          await guard.call({ tool: 'research', args: { question: 'q' }, callId: 'c2' }, async () =>
            gist(await guard.call(mail('A', 'c3'), async () => expect.unreachable())),
          ),
        );
        const direct = await guard.call(mail('A', 'c4'), async () => expect.unreachable());
        return gist(direct);
      }),
    );
    expect(inner).toBe('ok');
    expect(answer).toMatchObject({ ok: true, result: 'in_flight, unknown' });
    expect(clock.pending()).toBe(0);
  });
});

describe('calls outside of a run', () => {
  it('do not wait for each other', async () => {
    const { guard, clock } = desk();
    const answers: string[] = [];
    const slow = guard.call(mail('A', 'c1'), () => never()).then(gist);
    await clock.advance(0);
    answers.push(gist(await guard.call(mail('B', 'c2'), async () => 'sent')));
    answers.push(gist(await guard.call(mail('A', 'c3'), async () => 'sent')));
    expect(answers).toEqual(['ok', 'ok']);
    await clock.advance(1_000);
    expect(await slow).toBe('timed_out, unknown');
  });

  it('are protected by their call id, and say once that this is all', async () => {
    const { guard, events, after } = desk({ settings: { attempts: 1 } });
    const refused = await after(
      0,
      guard.call(mail('A', 'c1'), async () => {
        throw coded('ECONNREFUSED');
      }),
    );
    await guard.call(mail('B', 'c2'), async () => 'sent');
    const again = await guard.call(mail('A', 'c1'), async () => 'sent');
    const replayed = await guard.call(mail('A', 'c1'), async () => expect.unreachable());
    expect([refused, again, replayed].map(gist)).toEqual(['transport_lost, none', 'ok', 'ok']);
    expect(replayed).toMatchObject({ folded: 'replayed' });
    expect(events.of('warning').map((event) => event.code)).toEqual(['intent_underived']);
  });

  it('a run without an intent says that it cannot be continued', async () => {
    const { guard, events } = desk();
    await guard.inRun({}, async () => {});
    expect(events.of('warning').map((event) => event.code)).toEqual(['intent_underived']);
  });
});

describe('tenants', () => {
  it('do not share runs, although their intents have the same name', async () => {
    const { ledger, guard, clock } = desk();
    const executors = {
      get_order: () => never(),
      find_charge: () => never(),
    };
    const other = createGuard({ registry: orderTools, ledger, clock, tenant: 'two', executors });
    const slow = guard.inRun({ intentId: 'i1' }, () => guard.call(mail('A', 'c1'), never));
    await clock.advance(0);
    const answer = await other.inRun({ intentId: 'i1' }, () =>
      other.call(mail('A', 'c1'), async () => 'sent'),
    );
    expect(answer).toMatchObject({ ok: true, folded: false });
    await clock.advance(1_000);
    expect(gist(await slow)).toBe('timed_out, unknown');
  });
});
