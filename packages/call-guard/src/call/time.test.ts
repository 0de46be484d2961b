import { LedgerError } from '@holdfast/effect-ledger';
import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { desk, failureOf, gist, never } from '../order-tools.fixture.js';

const mail = (callId: string, to = 'A') =>
  ({ tool: 'send_mail', args: { to, subject: 's' }, callId }) as const;
const move = { tool: 'move_order', args: { orderId: 'o1', slot: 'A' }, callId: 'c1' } as const;

describe('the first try', () => {
  it('has what is left after the state before it was read, not what was left before', async () => {
    const { guard, clock, after } = desk({ executors: { get_order: slowly(900), find_charge } });
    const left: number[] = [];
    const begunAt = clock.monotonicMs();
    const call = guard.inRun({ intentId: 'i1', limits: { deadline: 950 } }, async () => {
      const answer = await guard.call(move, (_args, { remainingMs }) => {
        left.push(remainingMs);
        return never();
      });
      return { answer, tookMs: clock.monotonicMs() - begunAt };
    });
    const { answer, tookMs } = await after(5_000, call);
    expect(failureOf(answer)).toMatchObject({ kind: 'timed_out', details: { limit: 'run' } });
    expect({ left, tookMs }).toEqual({ left: [50], tookMs: 950 });
    function slowly(ms: number) {
      return async ({ orderId }: { orderId: string }) => {
        await clock.sleep(ms);
        return { orderId, slot: 'old' };
      };
    }
  });

  it('is not made when reading the state before it took all the time', async () => {
    const { guard, clock, after, rows } = desk({
      executors: {
        get_order: async ({ orderId }) => {
          await clock.sleep(900);
          return { orderId, slot: 'old' };
        },
        find_charge,
      },
    });
    const call = guard.inRun({ intentId: 'i1', limits: { deadline: 800 } }, () =>
      guard.call(move, async () => expect.unreachable()),
    );
    expect(failureOf(await after(5_000, call))).toMatchObject({
      kind: 'deadline_exceeded',
      effect: 'none',
      attempts: 0,
    });
    expect((await rows()).map(({ tool, state }) => `${tool} ${state}`)).toEqual([
      'move_order failed',
    ]);
    expect(clock.pending()).toBe(0);
  });
});

describe('the end of a run`s time', () => {
  it('that aborts the work around a call is no cancelling', async () => {
    const { guard, clock, after, charges } = desk();
    const end = new AbortController();
    clock.alarm(500, false, () => end.abort());
    const charge = (callId: string, orderId: string) =>
      guard.call({ tool: 'charge', args: { orderId }, callId, signal: end.signal }, () => never());
    const answers = guard.inRun({ intentId: 'i1', limits: { deadline: 500 } }, async () => [
      await charge('c1', 'o1'),
      await charge('c2', 'o2'),
    ]);
    const [first, second] = (await after(1_000, answers)).map(failureOf);
    expect(first).toMatchObject({ kind: 'timed_out', details: { limit: 'run' } });
    // So the truth is asked for, which a caller who gave up would not wait for.
    expect(charges.asked).toBe(1);
    expect(second).toMatchObject({ kind: 'deadline_exceeded', effect: 'none' });
  });
});

describe('a tool that is polled', () => {
  it('is not asked sooner because the deadline comes before its interval is over', async () => {
    const { guard, after } = desk();
    let asked = 0;
    const poll = (callId: string) =>
      guard.call({ tool: 'order_state', args: { orderId: 'o1' }, callId }, async () => {
        asked += 1;
        return 'open';
      });
    const gists = guard.inRun({ intentId: 'i1', limits: { deadline: '3s' } }, async () => [
      gist(await poll('c1')),
      gist(await poll('c2')),
    ]);
    expect(await after(10_000, gists)).toEqual(['ok', 'deadline_exceeded, none']);
    expect(asked).toBe(1);
  });

  it('keeps its interval where the deadline only watches', async () => {
    const { guard, clock, after } = desk({ mode: { deadline: 'shadow' } });
    const at: number[] = [];
    const begunAt = clock.monotonicMs();
    const poll = (callId: string) =>
      guard.call({ tool: 'order_state', args: { orderId: 'o1' }, callId }, async () => {
        at.push(clock.monotonicMs() - begunAt);
      });
    const both = guard.inRun({ intentId: 'i1', limits: { deadline: '3s' } }, async () => {
      await poll('c1');
      await poll('c2');
    });
    await after(10_000, both);
    expect(at).toEqual([0, 5_000]);
  });
});

describe('a run that is continued', () => {
  it('goes on under the limits that it began with, unless it is given others', async () => {
    const { guard, other, clock } = desk();
    const broken = guard.inRun({ intentId: 'i1', limits: { deadline: '1s' } }, async () => {
      await guard.call(mail('c1'), async () => 'sent');
      await clock.advance(990);
      throw new Error('the process ends');
    });
    await expect(broken).rejects.toThrow('the process ends');
    const again = other();
    const goOn = (to: string, deadline?: number) =>
      again.inRun({ intentId: 'i1', ...(deadline && { limits: { deadline } }) }, async () => {
        await clock.advance(20);
        return gist(await again.call(mail(to, to), async () => 'sent'));
      });
    expect(await goOn('B')).toBe('deadline_exceeded, none');
    expect(await goOn('C', 2_000)).toBe('ok');
  });

  it('lets its reads go on where the ledger cannot say what bounds it', async () => {
    const away = new LedgerError('failed', 'it is away');
    const { guard } = desk({ limits: { deadline: '1s' } }, (ledger) => ({
      ...ledger,
      runs: () => Promise.reject(away),
    }));
    const read = guard.inRun({ intentId: 'i1' }, () =>
      guard.call({ tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' }, async () => ({
        orderId: 'o1',
        slot: 'A',
      })),
    );
    expect(gist(await read)).toBe('ok');
  });
});

describe('the deadline of one call', () => {
  it.each([Number.NaN, '5s', null])('%s is refused: it would bound nothing', async (deadlineMs) => {
    const { run, guard } = desk();
    const request = { ...mail('c1'), deadlineMs: deadlineMs as number };
    const call = run(() => guard.call(request, async () => expect.unreachable()));
    await expect(call).rejects.toSatisfy((error) => isSetupError(error, 'option_out_of_range'));
  });

  it('that is over already lets nothing begin', async () => {
    const { run, guard } = desk();
    const call = run(() =>
      guard.call({ ...mail('c1'), deadlineMs: -5 }, async () => expect.unreachable()),
    );
    expect(gist(await call)).toBe('deadline_exceeded, none');
  });
});

async function find_charge(): Promise<never> {
  return expect.unreachable();
}
