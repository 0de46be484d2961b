/** Signals and timers of calls: nothing is left behind, whatever becomes of a call. */
import { getEventListeners } from 'node:events';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { currentCall } from './call-context.js';
import { desk, gist, never } from './order-tools.fixture.js';
import { actionDigest } from './run/loop-guard.js';

const order = (callId: string, signal?: AbortSignal) =>
  ({
    tool: 'get_order',
    args: { orderId: callId },
    callId,
    ...(signal === undefined ? {} : { signal }),
  }) as const;
const found = async ({ orderId }: { orderId: string }) => ({ orderId, slot: 'A' });
const unavailable = async (): Promise<never> => {
  throw Object.assign(new Error('unavailable'), { status: 503 });
};
const untroubled = {
  settings: {
    retryBudgetFloor: 1_000,
    breakerConsecutive: 1_000,
    breakerFailures: 1_000,
    breakerWindowMs: 1_000,
  },
};

describe('a signal that lives longer than its calls', () => {
  const warned: unknown[] = [];
  const note = (warning: unknown): void => void warned.push(warning);
  beforeEach(() => {
    warned.length = 0;
    process.on('warning', note);
  });
  afterEach(() => {
    process.off('warning', note);
  });

  it('RS-32: has no listeners after a thousand calls that succeeded, and as many that failed', async () => {
    const { guard, run, clock } = desk(untroubled);
    const caller = new AbortController();
    await run(async () => {
      for (let i = 0; i < 1_000; i += 1) {
        expect((await guard.call(order(`ok${i}`, caller.signal), found)).ok).toBe(true);
      }
    });
    for (let i = 0; i < 20; i += 1) {
      const failing = run(
        () =>
          Promise.all(
            Array.from({ length: 50 }, (_, at) =>
              guard.call(order(`failed${i}/${at}`, caller.signal), unavailable),
            ),
          ),
        `i${i}`,
      );
      // Both back-offs of each, at most.
      await clock.advance(1_000);
      // So that the failures are not all of it.
      await guard.call(order(`fine${i}`), found);
      for (const answer of await failing) expect(gist(answer)).toBe('dependency_failed, none');
    }
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(clock.pending()).toBe(0);
    expect(warned).toEqual([]);
  }, 30_000);

  it('RS-32: carries a thousand calls at once, and lets go of them when it is aborted', async () => {
    const { guard, run, clock } = desk();
    const caller = new AbortController();
    const waiting = run(() =>
      Promise.all(
        Array.from({ length: 1_000 }, (_, i) => guard.call(order(`c${i}`, caller.signal), never)),
      ),
    );
    await clock.advance(0);
    caller.abort(new Error('enough'));
    await clock.advance(0);
    const answers = await waiting;
    expect(new Set(answers.map(gist))).toEqual(new Set(['cancelled, none']));
    expect(warned).toEqual([]);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it('RS-21: ends a back-off at once, and what is known of the last try stands', async () => {
    const { guard, run, clock } = desk();
    const caller = new AbortController();
    const answer = run(() => guard.call(order('c1', caller.signal), unavailable));
    await clock.advance(0);
    caller.abort();
    await clock.advance(0);
    const ended = await answer;
    expect(gist(ended)).toBe('dependency_failed, none');
    expect(guard.counts().attempt_started).toBe(1);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(clock.pending()).toBe(0);
  });
});

describe('a caller that gives up', () => {
  it('is heard also while the tool begins', async () => {
    const { guard, run, clock } = desk();
    const caller = new AbortController();
    const answer = run(() =>
      guard.call(order('c1', caller.signal), () => {
        caller.abort();
        return never();
      }),
    );
    await clock.advance(0);
    expect(gist(await answer)).toBe('cancelled, none');
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(clock.pending()).toBe(0);
  });
});

describe('an attempt that is given up', () => {
  it('tells whoever has not let go, with the reason of its signal, and without making one', async () => {
    const { guard, run, clock } = desk({ settings: { attempts: 1 } });
    const made = vi.spyOn(globalThis, 'AbortController');
    const heard: unknown[] = [];
    let late = (): void => {};
    let signal = (): AbortSignal | undefined => undefined;
    try {
      const answer = run(() =>
        guard.call(order('c1'), (_, context) => {
          context.onGivenUp((reason) => heard.push(['kept', reason]));
          context.onGivenUp((reason) => heard.push(['let go', reason]))();
          late = () => void context.onGivenUp((reason) => heard.push(['late', reason]));
          signal = () => context.signal;
          return never();
        }),
      );
      await clock.advance(1_000);
      expect(gist(await answer)).toBe('timed_out, none');
      late();
      expect(made).not.toHaveBeenCalled();
      made.mockRestore();
      const reason: unknown = signal()?.reason;
      expect(heard).toEqual([
        ['kept', reason],
        ['late', reason],
      ]);
    } finally {
      made.mockRestore();
    }
  });
});

describe('whoever makes a call', () => {
  it('has its answer before it is noted of it that there was one, and once', async () => {
    const { guard } = desk();
    const { run } = guard.adapter.openRun({ tenant: 'default', runId: 'r', intentId: 'i' }, 'once');
    const noted: number[] = [];
    const given: unknown[] = [];
    const action = actionDigest('get_order', { orderId: 'c1' });
    const answer = (one: unknown): void => {
      noted.push(run.loops.repeatsOf(action));
      given.push(one);
    };
    const call = guard.adapter.call(order('c1'), { run, answer }, async () => ({
      orderId: 'c1',
      slot: 'A',
    }));
    expect(given).toEqual([await call]);
    expect(noted).toEqual([0]);
    expect(run.loops.repeatsOf(action)).toBe(1);
  });
});

describe('the way of a call on which nothing is wrong', () => {
  it('makes no scope for a call that leaves the process, and one for all others', async () => {
    const { guard } = desk();
    const { run } = guard.adapter.openRun({ tenant: 'default', runId: 'r', intentId: 'i' }, 'once');
    const callIn = async (leavesProcess: boolean) => {
      let seen: unknown = 'nothing';
      const host = { run, leavesProcess };
      await guard.adapter.call(order(`c${leavesProcess}`), host, async (_, { callId }) => {
        seen = currentCall()?.callId;
        return found({ orderId: callId });
      });
      return seen;
    };
    expect(await callIn(true)).toBe(undefined);
    expect(await callIn(false)).toBe('cfalse');
  });

  it('RS-33: makes no signal that nobody asks for', async () => {
    const { guard, run } = desk();
    const any = vi.spyOn(AbortSignal, 'any');
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const made = vi.spyOn(globalThis, 'AbortController');
    try {
      await run(async () => {
        for (let i = 0; i < 10; i += 1) await guard.call(order(`c${i}`), found);
      });
      expect([any.mock.calls, timeout.mock.calls, made.mock.calls]).toEqual([[], [], []]);
      // One, for whoever asks, however often.
      await run(() =>
        guard.call(order('asks'), async (args) => {
          expect(currentCall()?.signal).toBe(currentCall()?.signal);
          return found(args);
        }),
      );
      expect([any, timeout, made].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 1]);
    } finally {
      vi.restoreAllMocks();
    }
  });
});

describe('a tool that goes on after its call was given up', () => {
  it('RS-36: may fail later without ending the process', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const { guard, run, clock, events } = desk({ settings: { attempts: 1 } });
      const answer = run(() =>
        guard.call(order('c1'), async () => {
          await clock.sleep(5_000);
          throw new Error('too late');
        }),
      );
      await clock.advance(1_000);
      expect(gist(await answer)).toBe('timed_out, none');
      await clock.advance(5_000);
      // Unhandled rejections are told at the end of a turn.
      await endOfTurn();
      expect(unhandled).toEqual([]);

      // What a write says late is the truth about its effect, also by an error.
      const mail = { tool: 'send_mail', args: { to: 'A', subject: 's' }, callId: 'c2' } as const;
      const write = run(() =>
        guard.call(mail, async () => {
          await clock.sleep(2_000);
          throw Object.assign(new Error('no such address'), { status: 422 });
        }),
      );
      await clock.advance(1_000);
      expect(gist(await write)).toBe('timed_out, unknown');
      await clock.advance(1_000);
      await endOfTurn();
      expect(unhandled).toEqual([]);
      expect(events.of('effect_settled').map(({ by, outcome }) => [by, outcome])).toEqual([
        ['attempt', 'unknown'],
        ['late-answer', 'failed'],
      ]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
