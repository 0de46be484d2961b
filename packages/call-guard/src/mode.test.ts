import { isSetupError } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import type { CallContext } from './call-context.js';
import { desk, gist } from './order-tools.fixture.js';

const order = (callId: string) => ({ tool: 'get_order', args: { orderId: 'o1' }, callId }) as const;
const mail = (callId: string) =>
  ({ tool: 'send_mail', args: { to: 'A', subject: 's' }, callId }) as const;
const found = async () => ({ orderId: 'o1', slot: 'A' });
const lost = async (): Promise<never> => {
  throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
};

describe('modes', () => {
  it('a guard that is off does what the program would do, and writes nothing', async () => {
    const { guard, run, rows, events } = desk({ mode: 'off' });
    const keys: unknown[] = [];
    const send = async (_: unknown, call: CallContext) => {
      keys.push(call.idempotencyKey, call.headers());
      // Its steps are parts of its code, and nothing else.
      return call.step('send', () => 'sent');
    };
    const answers = await run(async () => [
      await guard.call(mail('c1'), send),
      await guard.call(mail('c2'), send),
      await guard.call(mail('c3'), lost),
    ]);
    expect(answers.map(gist)).toEqual(['ok', 'ok', 'transport_lost, unknown']);
    expect(keys).toEqual([undefined, {}, undefined, {}]);
    expect(await rows()).toEqual([]);
    expect(events.of('call_started')).toEqual([]);
    expect(guard.shadowReport().calls).toBe(0);
  });

  it('a guard that only watches acts on nothing, and says what it would have done', async () => {
    const { guard, run, rows, events, ledger } = desk({ mode: 'shadow' });
    let sent = 0;
    const send = async () => {
      sent += 1;
      return 'sent';
    };
    const answers = await run(async () => [
      await guard.call(mail('c1'), send),
      // Folded, if it were enforced.
      await guard.call(mail('c2'), send),
      // Refused.
      await guard.call({ ...mail('c3'), args: { to: 7 } } as never, send),
      // Tried again.
      await guard.call(order('c4'), lost),
    ]);
    expect(sent).toBe(3);
    expect(answers.map(gist)).toEqual(['ok', 'ok', 'ok', 'transport_lost, none']);
    expect(guard.shadowReport()).toEqual({
      calls: 4,
      refused: { calls: 1, runs: 1 },
      refusedAs: { invalid_arguments: 1 },
      folded: { calls: 1, runs: 1 },
      retried: { calls: 1, runs: 1 },
      saved: { calls: 1, runs: 1 },
    });
    expect(events.of('mechanism_shadowed').map(({ would }) => would)).toEqual([
      'fold',
      'refuse',
      'retry',
    ]);
    // In a namespace of its own.
    expect(await rows()).toEqual([]);
    const beside = await ledger.find({ tenant: 'shadow/default', intentId: 'i1' });
    expect(beside.map(({ tool, state }) => `${tool} ${state}`)).toEqual(['send_mail succeeded']);
  });

  it('an effect that only a watching guard saw is done again by an enforcing one', async () => {
    const { guard, run } = desk({ mode: 'shadow' });
    await run(() => guard.call(mail('c1'), async () => 'sent'));
    guard.setMode('enforce');
    let sent = 0;
    await run(() =>
      guard.call(mail('c1'), async () => {
        sent += 1;
        return 'sent';
      }),
    );
    expect(sent).toBe(1);
  });

  it('a switch takes effect for runs that begin afterwards', async () => {
    const { guard, run } = desk();
    const repeats = async (): Promise<string | undefined> => {
      const gists: string[] = [];
      for (const callId of ['c1', 'c2', 'c3', 'c4']) {
        gists.push(gist(await guard.call(order(callId), found)));
      }
      return gists.at(-1);
    };
    const inside = await run(async () => {
      guard.setMode('off', 'loop-guard');
      return repeats();
    });
    expect(inside).toBe('loop_detected, none');
    expect(await run(repeats, 'i2')).toBe('ok');
    guard.setMode('enforce', 'loop-guard');
    expect(await run(repeats, 'i3')).toBe('loop_detected, none');
  });

  it('a mechanism that only watches lets the call go on', async () => {
    const { guard, run, events } = desk({
      mode: { 'loop-guard': 'shadow', 'circuit-breaker': 'shadow', deadline: 'shadow' },
      limits: { deadline: 100 },
    });
    guard.breakers.open('get_order');
    const last = await run(async () => {
      for (const callId of ['c1', 'c2', 'c3']) await guard.call(order(callId), found);
      return guard.call(order('c4'), found);
    });
    expect(gist(last)).toBe('ok');
    const watched = events.of('mechanism_shadowed').map(({ mechanism }) => mechanism);
    expect(new Set(watched)).toEqual(new Set(['deadline', 'circuit-breaker', 'loop-guard']));
    expect(guard.shadowReport().refusedAs).toEqual({
      deadline_exceeded: 4,
      tool_disabled: 4,
      loop_detected: 1,
    });
    expect(guard.counts().loop_detected).toBe(0);
  });

  it('a run goes on as it began, for the calls inside of its calls too', async () => {
    const { guard, run, rows, ledger } = desk();
    const answer = await run(async () => {
      guard.setMode('shadow');
      return guard.call({ tool: 'research', args: { question: 'q' }, callId: 'c1' }, () =>
        guard.call(mail('c2'), async () => 'sent'),
      );
    });
    expect(answer.ok).toBe(true);
    const made = await rows();
    expect(made.map(({ tool }) => tool)).toEqual(['send_mail']);
    const [admitted] = await ledger.runs({ runId: made[0]?.runId ?? '' });
    expect(admitted?.mode).toBe('enforce');
  });

  it('names what is wrong with a mode', () => {
    const problem = (work: () => unknown): string => {
      try {
        work();
        return 'nothing';
      } catch (error) {
        if (!isSetupError(error, 'option_out_of_range')) throw error;
        return error.message;
      }
    };
    expect(problem(() => desk({ mode: 'on' as never }))).toMatch(/mode: there is no on.*enforce/);
    expect(problem(() => desk({ mode: null as never }))).toMatch(/mode: there is no null.*enforce/);
    expect(problem(() => desk({ mode: 5 as never }))).toMatch(/mode: there is no 5.*enforce/);
    expect(problem(() => desk({ mode: { governor: 'off' } as never }))).toMatch(
      /there is no governor.*deadline, circuit-breaker, loop-guard/,
    );
    expect(problem(() => desk().guard.setMode('on' as never))).toMatch(/there is no on/);
  });
});
