import { LedgerError } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import type { CallContext } from './call-context.js';
import { coded, desk, failureOf, gist, never } from './order-tools.fixture.js';
import { StatedFailure } from './stated-failure.js';

const tools = {
  read: { tool: 'get_order', args: { orderId: 'o1' }, result: { orderId: 'o1', slot: 'am' } },
  'idempotent-write': { tool: 'set_delivery', args: { orderId: 'o1', slot: 'am' }, result: 'set' },
  irreversible: { tool: 'send_mail', args: { to: 'a@b', subject: 's' }, result: 'sent' },
  undeclared: { tool: 'legacy_sync', args: { all: true }, result: 'synced' },
  delegates: { tool: 'research', args: { question: 'q' }, result: 'found' },
} as const;

type Class = keyof typeof tools;
type Ending = 'success' | 'throw' | 'lost' | 'refused' | 'silence' | 'cancel';

/** Class, how the tool ends: how often it runs, what the caller hears, how the row stands. */
const table: readonly [Class, Ending, number, string, string | undefined][] = [
  ['read', 'success', 1, 'ok', undefined],
  ['read', 'throw', 1, 'dependency_failed, none', undefined],
  ['read', 'lost', 3, 'transport_lost, none', undefined],
  ['read', 'refused', 3, 'transport_lost, none', undefined],
  ['read', 'silence', 3, 'timed_out, none', undefined],
  ['read', 'cancel', 1, 'cancelled, none', undefined],
  ['idempotent-write', 'success', 1, 'ok', 'succeeded'],
  ['idempotent-write', 'throw', 1, 'dependency_failed, unknown', 'unknown'],
  ['idempotent-write', 'lost', 3, 'transport_lost, unknown', 'unknown'],
  ['idempotent-write', 'refused', 3, 'transport_lost, none', 'failed'],
  ['idempotent-write', 'silence', 3, 'timed_out, unknown', 'unknown'],
  ['idempotent-write', 'cancel', 1, 'cancelled, unknown', 'unknown'],
  ['irreversible', 'success', 1, 'ok', 'succeeded'],
  ['irreversible', 'throw', 1, 'dependency_failed, unknown', 'unknown'],
  ['irreversible', 'lost', 1, 'transport_lost, unknown', 'unknown'],
  ['irreversible', 'refused', 3, 'transport_lost, none', 'failed'],
  ['irreversible', 'silence', 1, 'timed_out, unknown', 'unknown'],
  ['irreversible', 'cancel', 1, 'cancelled, unknown', 'unknown'],
  ['undeclared', 'success', 1, 'ok', 'succeeded'],
  ['undeclared', 'throw', 1, 'dependency_failed, unknown', 'unknown'],
  ['undeclared', 'lost', 1, 'transport_lost, unknown', 'unknown'],
  ['undeclared', 'refused', 1, 'transport_lost, none', 'failed'],
  ['undeclared', 'cancel', 1, 'cancelled, unknown', 'unknown'],
  ['delegates', 'success', 1, 'ok', undefined],
  ['delegates', 'throw', 1, 'dependency_failed, none', undefined],
  ['delegates', 'lost', 1, 'transport_lost, none', undefined],
  ['delegates', 'refused', 1, 'transport_lost, none', undefined],
  ['delegates', 'silence', 1, 'timed_out, none', undefined],
  ['delegates', 'cancel', 1, 'cancelled, none', undefined],
];

function end(ending: Ending, result: unknown): Promise<unknown> {
  switch (ending) {
    case 'success':
      return Promise.resolve(result);
    case 'throw':
      return Promise.reject(new Error('it broke'));
    case 'lost':
      return Promise.reject(coded('ECONNRESET'));
    case 'refused':
      return Promise.reject(coded('ECONNREFUSED'));
    case 'silence':
    case 'cancel':
      return never();
  }
}

describe('each class does what it allows and says what is known', () => {
  it.each(table)('%s, %s: runs %i times, answers %s', async (name, ending, runs, said, state) => {
    const { run, guard, clock, rows } = desk();
    const { tool, args, result } = tools[name];
    const calls: CallContext[] = [];
    const caller = new AbortController();
    const pending = run(() =>
      guard.call({ tool, args, callId: 'c1', signal: caller.signal }, async (_args, call) => {
        calls.push(call);
        call.headers();
        return end(ending, result) as Promise<never>;
      }),
    );
    await clock.advance(0);
    if (ending === 'cancel') caller.abort();
    await clock.advance(6_000);
    const answer = await pending;

    expect(calls.length).toBe(runs);
    expect(gist(answer)).toBe(said);
    expect((await rows()).map((row) => row.state)).toEqual(state === undefined ? [] : [state]);
    expect(new Set(calls.map((call) => call.idempotencyKey)).size).toBe(1);
    // Windows for late answers are all that may be outstanding.
    await clock.advance(60_000);
    expect(clock.pending()).toBe(0);
  });
});

describe('tries of one call', () => {
  it('wait with jitter, growing', async () => {
    const { run, guard, clock, events } = desk();
    const answer = run(() =>
      guard.call({ tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' }, async () => {
        throw coded('ECONNRESET');
      }),
    );
    await clock.advance(374);
    expect(guard.counts().attempt_started).toBe(2);
    await clock.advance(1);
    expect(gist(await answer)).toBe('transport_lost, none');
    expect(events.of('retry_scheduled').map((event) => event.waitMs)).toEqual([125, 250]);
    expect(guard.counts()).toMatchObject({
      attempt_started: 3,
      attempt_finished: 3,
      retry_scheduled: 2,
      retry_denied: 1,
      call_finished: 1,
    });
  });

  it('end when the caller gives up in between', async () => {
    const { run, guard, clock } = desk();
    const caller = new AbortController();
    let ran = 0;
    const answer = run(() =>
      guard.call(
        { tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1', signal: caller.signal },
        async () => {
          ran += 1;
          throw coded('ECONNRESET');
        },
      ),
    );
    await clock.advance(50);
    caller.abort();
    await clock.advance(1_000);
    expect(gist(await answer)).toBe('transport_lost, none');
    expect(ran).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  it('LG-05: a time limit of the tool itself repeats a read and never an irreversible call', async () => {
    const { run, guard, after } = desk();
    const ran = { read: 0, mail: 0 };
    const timeout = () => new DOMException('The operation timed out', 'TimeoutError');
    const answers = after(
      1_000,
      run(() =>
        Promise.all([
          guard.call({ tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' }, async () => {
            ran.read += 1;
            throw timeout();
          }),
          guard.call(
            { tool: 'send_mail', args: { to: 'a', subject: 's' }, callId: 'c2' },
            async () => {
              ran.mail += 1;
              throw timeout();
            },
          ),
        ]),
      ),
    );
    const [order, mail] = await answers;
    expect(ran).toEqual({ read: 3, mail: 1 });
    expect(gist(order)).toBe('transport_lost, none');
    expect(gist(mail)).toBe('transport_lost, unknown');
    expect(failureOf(mail).next).toEqual({ by: 'nobody', advice: 'hand_off' });
  });

  it('a call that was cancelled before it began does not begin', async () => {
    const { run, guard, rows } = desk();
    const answer = await run(() =>
      guard.call(
        {
          tool: 'send_mail',
          args: { to: 'a', subject: 's' },
          callId: 'c1',
          signal: AbortSignal.abort(),
        },
        async () => expect.unreachable(),
      ),
    );
    expect(gist(answer)).toBe('cancelled, none');
    expect(await rows()).toEqual([]);
  });

  it('a call that is cancelled while it is written down is not sent', async () => {
    const caller = new AbortController();
    const { run, guard, rows } = desk({}, (ledger) => ({
      ...ledger,
      claim: async (...args) => {
        const found = await ledger.claim(...args);
        caller.abort();
        return found;
      },
    }));
    const answer = await run(() =>
      guard.call(
        {
          tool: 'send_mail',
          args: { to: 'a', subject: 's' },
          callId: 'c1',
          signal: caller.signal,
        },
        async () => expect.unreachable(),
      ),
    );
    expect(gist(answer)).toBe('cancelled, none');
    expect((await rows()).map((row) => row.state)).toEqual(['failed']);
  });

  it('a read is aborted when it takes too long', async () => {
    const { run, guard, clock } = desk({ settings: { attempts: 1 } });
    let signal: AbortSignal | undefined;
    const answer = run(() =>
      guard.call({ tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' }, (_args, call) => {
        signal = call.signal;
        return never();
      }),
    );
    await clock.advance(999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    expect(gist(await answer)).toBe('timed_out, none');
  });
});

describe('a keyed write', () => {
  const request = {
    tool: 'set_delivery',
    args: { orderId: 'o1', slot: 'am' },
    callId: 'c1',
  } as const;

  it('goes again with the same key when its key was read', async () => {
    const { run, guard, after, events } = desk();
    const keys: unknown[] = [];
    const answer = await after(
      1_000,
      run(() =>
        guard.call(request, async (_args, call) => {
          keys.push(call.headers()['idempotency-key']);
          if (keys.length < 3) throw coded('ECONNRESET');
          return 'set';
        }),
      ),
    );
    expect(answer).toMatchObject({ ok: true, result: 'set', attempts: 3, warnings: [] });
    expect(keys.length).toBe(3);
    expect(new Set(keys).size).toBe(1);
    expect(events.of('warning').map((event) => event.code)).toEqual([]);
  });

  it('counts as irreversible when its key was not read, and warns', async () => {
    const { run, guard, after, events, rows } = desk();
    let ran = 0;
    const answer = await after(
      1_000,
      run(() =>
        guard.call(request, async () => {
          ran += 1;
          throw coded('ECONNRESET');
        }),
      ),
    );
    expect(gist(answer)).toBe('transport_lost, unknown');
    expect(ran).toBe(1);
    expect(events.of('warning').map((event) => event.code)).toEqual(['key_not_carried']);
    expect((await rows()).at(0)?.attempts.at(0)?.keyCarried).toBe(false);
    const again = await run(() =>
      guard.call({ ...request, callId: 'c2' }, async () => expect.unreachable()),
    );
    expect(gist(again)).toBe('outcome_unknown, unknown');
  });

  it('warns after a success that did not send its key', async () => {
    const { run, guard, events } = desk();
    const answer = await run(() => guard.call(request, async () => 'set'));
    expect(answer.ok && answer.warnings.length).toBe(1);
    expect(events.of('warning').map((event) => event.code)).toEqual(['key_not_carried']);
  });

  it('is not blamed for a key that it had no chance to send', async () => {
    const { run, guard, after, events } = desk();
    let ran = 0;
    const answer = await after(
      1_000,
      run(() =>
        guard.call(request, async (_args, call) => {
          ran += 1;
          if (ran === 1) throw coded('ECONNREFUSED');
          call.headers();
          if (ran === 2) throw coded('ECONNRESET');
          return 'set';
        }),
      ),
    );
    expect(gist(answer)).toBe('ok');
    expect(ran).toBe(3);
    expect(events.of('warning')).toEqual([]);
  });

  it('whose key is an argument gets it in its arguments, and the model cannot give it', async () => {
    const { run, guard, after } = desk();
    const seen: { requestId: string }[] = [];
    const answer = await after(
      1_000,
      run(() =>
        guard.call(
          { tool: 'tag_order', args: { orderId: 'o1', tag: 't' }, callId: 'c1' },
          async (args, call) => {
            seen.push(args);
            expect(call.input).toEqual(args);
            if (seen.length === 1) throw coded('ECONNRESET');
            return 'tagged';
          },
        ),
      ),
    );
    const key = answer.ok ? answer.key : undefined;
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(seen).toEqual([
      { orderId: 'o1', tag: 't', requestId: key },
      { orderId: 'o1', tag: 't', requestId: key },
    ]);
    const forged = await run(() =>
      guard.call(
        { tool: 'tag_order', args: { orderId: 'o1', tag: 'u', requestId: 'mine' }, callId: 'c2' },
        async () => expect.unreachable(),
      ),
    );
    expect(gist(forged)).toBe('invalid_arguments, none');
  });

  it('stays unknown when a try that was lost is followed by tries that never left', async () => {
    const { run, guard, after, rows } = desk();
    const errors = ['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED'];
    const answer = await after(
      1_000,
      run(() =>
        guard.call(request, async (_args, call) => {
          call.headers();
          throw coded(errors.shift() ?? 'none');
        }),
      ),
    );
    expect(gist(answer)).toBe('transport_lost, unknown');
    expect((await rows()).map((row) => row.state)).toEqual(['unknown']);
  });

  it('stays unknown when an equal call later on sends it again and cannot reach the server', async () => {
    const { run, guard, after, rows } = desk({ settings: { attempts: 1 } });
    const lose = (code: string) => async (_args: unknown, call: CallContext) => {
      call.headers();
      throw coded(code);
    };
    const first = await after(
      0,
      run(() => guard.call(request, lose('ECONNRESET'))),
    );
    const second = await run(() => guard.call({ ...request, callId: 'c2' }, lose('ECONNREFUSED')));
    expect([gist(first), gist(second)]).toEqual([
      'transport_lost, unknown',
      'transport_lost, unknown',
    ]);
    expect((await rows()).map((row) => row.state)).toEqual(['unknown']);
    const third = await run(() =>
      guard.call({ ...request, callId: 'c3' }, async (_args, call) => call.headers()),
    );
    expect(third).toMatchObject({ ok: true, folded: false });
    expect((await rows()).map((row) => [row.state, row.attempts.length])).toEqual([
      ['succeeded', 3],
    ]);
  });

  it('stays unknown when an equal call later on is refused before it is sent', async () => {
    let broken = false;
    const { run, guard, rows } = desk({ settings: { attempts: 1 } }, (ledger) => ({
      ...ledger,
      move: (...args) =>
        broken ? Promise.reject(new LedgerError('full', 'the disk is full')) : ledger.move(...args),
    }));
    await run(async () => {
      await guard.call(request, async (_args, call) => {
        call.headers();
        throw coded('ECONNRESET');
      });
      const cancelled = await guard.call(
        { ...request, callId: 'c2', signal: AbortSignal.abort() },
        async () => expect.unreachable(),
      );
      expect(gist(cancelled)).toBe('cancelled, unknown');
      broken = true;
      const unwritten = await guard.call({ ...request, callId: 'c3' }, async () =>
        expect.unreachable(),
      );
      expect(gist(unwritten)).toBe('ledger_unavailable, unknown');
    });
    expect((await rows()).map((row) => row.state)).toEqual(['unknown']);
  });

  it('DU-40: is not sent again once the server has forgotten its key', async () => {
    const { run, guard, clock } = desk();
    let ran = 0;
    const lost = await run(() =>
      guard.call(request, async (_args, call) => {
        ran += 1;
        call.headers();
        throw new Error('who knows');
      }),
    );
    expect(gist(lost)).toBe('dependency_failed, unknown');
    await clock.advance(86_400_000);
    const again = await run(() =>
      guard.call({ ...request, callId: 'c2' }, async () => expect.unreachable()),
    );
    expect(gist(again)).toBe('outcome_unknown, unknown');
    expect(ran).toBe(1);
  });
});

describe('undeclared tools', () => {
  it('an unknown outcome stops equal calls of its own run only', async () => {
    const { run, guard, rows } = desk();
    const request = { tool: 'legacy_sync', args: {}, callId: 'c1' };
    await run(() =>
      guard.call(request, async () => {
        throw new Error('who knows');
      }),
    );
    const same = await run(() =>
      guard.call({ ...request, callId: 'c2' }, async () => expect.unreachable()),
    );
    expect(gist(same)).toBe('outcome_unknown, unknown');
    const later = await guard.inRun({ intentId: 'i1', runId: 'another' }, () =>
      guard.call({ ...request, callId: 'c3' }, async () => 'synced'),
    );
    expect(later).toMatchObject({ ok: true, result: 'synced' });
    expect(later.ok && later.warnings.map((warning) => warning.split(':')[0])).toEqual([
      'outcome_unknown',
    ]);
    expect((await rows()).map((row) => [row.state, row.generation])).toEqual([
      ['unknown', 0],
      ['succeeded', 1],
    ]);
  });

  it('are never answered from a finished equal call', async () => {
    const { run, guard } = desk();
    let ran = 0;
    const call = (callId: string) =>
      guard.call({ tool: 'legacy_sync', args: {}, callId }, async () => ++ran);
    const answers = await run(async () => [await call('c1'), await call('c2')]);
    expect(answers).toMatchObject([
      { ok: true, result: 1, folded: false },
      { ok: true, result: 2, folded: false },
    ]);
  });

  it('work with arguments that have no canonical form', async () => {
    const { run, guard } = desk();
    const answer = await run(() =>
      guard.call({ tool: 'legacy_sync', args: { n: 1n }, callId: 'c1' }, async () => 'synced'),
    );
    expect(gist(answer)).toBe('ok');
  });
});

describe('what a tool states about its failure', () => {
  it('is taken as it is: an effect that was had is never made again', async () => {
    const { run, guard, rows } = desk();
    const request = {
      tool: 'send_mail',
      args: { to: 'a', subject: 's' },
      callId: 'c1',
    } as const;
    const answer = await run(() =>
      guard.call(request, async () => {
        throw new StatedFailure('business_error', 'done', { message: 'sent, but not filed' });
      }),
    );
    expect(gist(answer)).toBe('result_not_kept, done');
    expect((await rows()).map((row) => row.state)).toEqual(['succeeded']);
    const again = await run(() =>
      guard.call({ ...request, callId: 'c2' }, async () => expect.unreachable()),
    );
    expect(gist(again)).toBe('result_not_kept, done');
  });
});
