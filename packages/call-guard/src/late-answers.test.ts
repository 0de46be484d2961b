import { describe, expect, it } from 'vitest';
import type { CallContext } from './call-context.js';
import { coded, desk, gate, gist, never } from './order-tools.fixture.js';

const mail = (callId: string) =>
  ({ tool: 'send_mail', args: { to: 'A', subject: 's' }, callId }) as const;
const delivery = (callId: string) =>
  ({ tool: 'set_delivery', args: { orderId: 'o1', slot: 'A' }, callId }) as const;

describe('a write that answers after its timeout', () => {
  it('LG-07: settles its row when it answers within the late window', async () => {
    const { run, guard, clock, rows, events } = desk();
    const work = gate<string>();
    const answer = run(() => guard.call(mail('c1'), () => work.promise));
    await clock.advance(1_000);
    expect(gist(await answer)).toBe('timed_out, unknown');
    expect((await rows()).map((row) => row.state)).toEqual(['unknown']);
    work.open('sent');
    await clock.advance(0);
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    expect(events.of('effect_settled').map((event) => [event.outcome, event.by])).toEqual([
      ['unknown', 'attempt'],
      ['succeeded', 'late-answer'],
    ]);
    expect(clock.pending()).toBe(0);
    const again = await run(() => guard.call(mail('c2'), async () => expect.unreachable()));
    expect(again).toMatchObject({ ok: true, result: 'sent', folded: 'folded' });
  });

  it('is aborted after the late window, and stays unknown', async () => {
    const { run, guard, clock, rows } = desk();
    const work = gate<string>();
    let signal: AbortSignal | undefined;
    const answer = run(() =>
      guard.call(mail('c1'), (_args, call) => {
        signal = call.signal;
        return work.promise;
      }),
    );
    await clock.advance(2_999);
    expect(gist(await answer)).toBe('timed_out, unknown');
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    expect(clock.pending()).toBe(0);
    work.open('sent');
    await clock.advance(0);
    expect((await rows()).map((row) => row.state)).toEqual(['unknown']);
  });

  it('may have its effect disproved late', async () => {
    const { run, guard, clock, rows } = desk();
    const work = gate<string>();
    const answer = run(() => guard.call(mail('c1'), () => work.promise));
    await clock.advance(1_000);
    expect(gist(await answer)).toBe('timed_out, unknown');
    work.fail(Object.assign(new Error('no such address'), { status: 422 }));
    await clock.advance(0);
    expect((await rows()).map((row) => row.state)).toEqual(['failed']);
    const again = await run(() => guard.call(mail('c2'), async () => 'sent'));
    expect(gist(again)).toBe('ok');
  });

  it('stays unknown after a late error that proves nothing', async () => {
    const { run, guard, clock, rows } = desk();
    const work = gate<string>();
    const answer = run(() => guard.call(mail('c1'), () => work.promise));
    await clock.advance(1_000);
    await answer;
    work.fail(coded('ECONNRESET'));
    await clock.advance(0);
    expect((await rows()).map((row) => row.state)).toEqual(['unknown']);
    expect(clock.pending()).toBe(0);
  });

  it('stays unknown when only one of several tries in doubt is disproved', async () => {
    const { run, guard, clock, rows } = desk({ settings: { attempts: 2 } });
    const works = [gate<string>(), gate<string>()];
    let ran = 0;
    const answer = run(() =>
      guard.call(delivery('c1'), (_args, call) => {
        call.headers();
        const work = works[ran];
        ran += 1;
        return work?.promise ?? never();
      }),
    );
    await clock.advance(2_700);
    expect(gist(await answer)).toBe('timed_out, unknown');
    expect(ran).toBe(2);
    works[0]?.fail(coded('ECONNREFUSED'));
    await clock.advance(0);
    expect((await rows()).map((row) => row.state)).toEqual(['unknown']);
    works[1]?.open('set');
    await clock.advance(0);
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    expect(clock.pending()).toBe(0);
  });

  it('does not hold up what a later try has made known', async () => {
    const { run, guard, clock } = desk();
    let ran = 0;
    const answer = run(() =>
      guard.call(delivery('c1'), async (_args, call) => {
        call.headers();
        ran += 1;
        return ran === 1 ? never() : 'set';
      }),
    );
    await clock.advance(1_125);
    expect(gist(await answer)).toBe('ok');
    const equal = await run(() => guard.call(delivery('c2'), async () => expect.unreachable()));
    expect(equal).toMatchObject({ result: 'set', folded: 'folded' });
  });

  it('after a cancel has the same window', async () => {
    const { run, guard, clock, rows } = desk();
    const caller = new AbortController();
    const work = gate<string>();
    const answer = run(() =>
      guard.call({ ...mail('c1'), signal: caller.signal }, () => work.promise),
    );
    await clock.advance(10);
    caller.abort();
    await clock.advance(0);
    expect(gist(await answer)).toBe('cancelled, unknown');
    work.open('sent');
    await clock.advance(0);
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    expect(clock.pending()).toBe(0);
  });

  it('of a tool without a time limit has the window of the settings after a cancel', async () => {
    const { run, guard, clock } = desk({ settings: { lateWindowMs: 700 } });
    const caller = new AbortController();
    let call: CallContext | undefined;
    const answer = run(() =>
      guard.call(
        { tool: 'legacy_sync', args: {}, callId: 'c1', signal: caller.signal },
        (_args, context) => {
          call = context;
          return never();
        },
      ),
    );
    await clock.advance(0);
    expect(call?.remainingMs).toBe(Number.POSITIVE_INFINITY);
    caller.abort();
    await clock.advance(699);
    expect(gist(await answer)).toBe('cancelled, unknown');
    expect(call?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(call?.signal.aborted).toBe(true);
    expect(clock.pending()).toBe(0);
  });
});

describe('an equal call while the first still runs after its timeout', () => {
  it('waits for it and gets its result', async () => {
    const { run, guard, clock } = desk();
    const work = gate<string>();
    await run(async () => {
      const first = guard.call(mail('c1'), () => work.promise);
      await clock.advance(1_000);
      expect(gist(await first)).toBe('timed_out, unknown');
      const second = guard.call(mail('c2'), async () => expect.unreachable());
      await clock.advance(500);
      work.open('sent');
      await clock.advance(0);
      expect(await second).toMatchObject({ ok: true, result: 'sent', folded: 'folded' });
    });
    expect(clock.pending()).toBe(0);
  });

  it('is told that the outcome is unknown when its own time is over', async () => {
    const { run, guard, clock } = desk();
    let ran = 0;
    await run(async () => {
      const first = guard.call(mail('c1'), () => {
        ran += 1;
        return never();
      });
      await clock.advance(1_000);
      await first;
      const others = ['c2', 'c3'].map((callId) =>
        guard.call(mail(callId), async () => expect.unreachable()),
      );
      await clock.advance(1_000);
      expect((await Promise.all(others)).map(gist)).toEqual(
        Array(2).fill('outcome_unknown, unknown'),
      );
    });
    expect(ran).toBe(1);
    await clock.advance(1_000);
    expect(clock.pending()).toBe(0);
  });
});
