import { LedgerError } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import type { CallAnswer } from './call/answer.js';
import { type Failure, type FailureKind, GuardError, isGuardError } from './failure.js';
import { coded, type Desk, desk, failureOf, never } from './order-tools.fixture.js';

const mail = (callId: string, to = 'A') =>
  ({ tool: 'send_mail', args: { to, subject: 's' }, callId }) as const;
const wipe = (callId: string) => ({ tool: 'wipe', args: { disk: 'A' }, callId }) as const;
const order = { tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' } as const;

const fails = (error: unknown) => async (): Promise<never> => {
  throw error;
};
const status = (code: number) => Object.assign(new Error(`status ${code}`), { status: code });
const sends = (shop: Desk, tool: () => Promise<unknown>, callId = 'c1') =>
  shop.run(() => shop.guard.call(mail(callId), tool));

/** For each kind the code that produces it, through the guard. */
const producers: { readonly [K in FailureKind]: (shop: Desk) => Promise<CallAnswer<unknown>> } = {
  // call/resolve.ts: the agent has no such tool
  unknown_tool: async ({ guard }) => {
    const { run } = guard.adapter.openRun(
      { tenant: 'default', runId: 'r', intentId: 'i1' },
      'once',
    );
    return guard.adapter.call({ tool: 'send_mial', args: {}, callId: 'c1' }, { run }, undefined);
  },
  // call/resolve.ts: an adapter found it in the model's message
  malformed_call: ({ run, guard }) => {
    const flaw = { kind: 'malformed_call', details: { echo: '{"to":' } } as const;
    return run(() => guard.call({ ...mail('c1'), flaw }, async () => 'sent'));
  },
  output_truncated: ({ run, guard }) => {
    const flaw = { kind: 'output_truncated', details: { finishReason: 'length' } } as const;
    return run(() => guard.call({ ...mail('c1'), flaw }, async () => 'sent'));
  },
  // call/validate.ts
  invalid_arguments: ({ run, guard }) =>
    run(() => guard.call({ ...mail('c1'), args: { to: 7, copy: 'B' } }, async () => 'sent')),
  // call/declare.ts: another owner works on it
  in_flight: async (shop) => {
    const elsewhere = shop.other();
    const theirs = elsewhere.inRun({ intentId: 'i1' }, () =>
      elsewhere.call({ tool: 'legacy', args: {}, callId: 'c1' }, never),
    );
    theirs.catch(() => {});
    await shop.clock.advance(0);
    const ours = shop.run(() =>
      shop.guard.call({ tool: 'legacy', args: {}, callId: 'c2' }, async () => 'done'),
    );
    await shop.clock.advance(31_000);
    return ours;
  },
  // call/recall.ts
  outcome_unknown: async (shop) => {
    await sends(shop, fails(coded('ECONNRESET')));
    return sends(shop, async () => 'sent', 'c2');
  },
  // call/recall.ts, call/declare.ts
  intent_conflict: async ({ run, guard }) =>
    run(async () => {
      await guard.call({ ...mail('c1'), callKey: 'k' }, async () => 'sent');
      return guard.call({ ...mail('c2', 'B'), callKey: 'k' }, async () => 'sent');
    }),
  // call/left-branch.ts, by the adapter's knowledge of checkpoints
  fork_conflict: async (shop) => {
    const made = (guard: Desk['guard'], callId: string) => {
      const identity = { tenant: 'default', runId: 'r', intentId: 'i1', threadId: 't' };
      const { run } = guard.adapter.openRun(identity, callId);
      const place = { messageId: `m ${callId}`, position: 0, checkpointId: `k ${callId}` };
      const host = { run, branch: async () => 'left' as const };
      return guard.adapter.call({ ...mail(callId), place }, host, async () => 'sent');
    };
    await made(shop.guard, 'c1');
    return made(shop.other(), 'c2');
  },
  // call/consent.ts
  confirmation_required: ({ run, guard }) => run(() => guard.call(wipe('c1'), never)),
  // call/recall.ts, call/consent.ts
  rejected_by_user: async ({ run, guard }) => {
    const stopped = failureOf(await run(() => guard.call(wipe('c1'), never)));
    await guard.approve({ callId: 'c1', decision: 'reject', by: 'ann', failure: stopped });
    return run(() => guard.call(wipe('c1'), never));
  },
  // call/try-once.ts
  timed_out: (shop) => shop.after(1_000, sends(shop, never)),
  // call/admit.ts, call/try-once.ts, gate.ts
  cancelled: ({ run, guard }) =>
    run(() => guard.call({ ...mail('c1'), signal: AbortSignal.abort() }, async () => 'sent')),
  // classify/classify.ts
  transport_lost: (shop) => sends(shop, fails(coded('ECONNRESET'))),
  dependency_failed: (shop) => sends(shop, fails(status(503))),
  business_error: (shop) => sends(shop, fails(status(422))),
  auth_failed: (shop) => sends(shop, fails(status(401))),
  rate_limited: (shop) => shop.after(1_000, sends(shop, fails(status(429)))),
  overloaded: (shop) => sends(shop, fails(status(529))),
  // call/admit.ts, by the adapter's barrier
  not_durable: async ({ guard }) => {
    const { run } = guard.adapter.openRun(
      { tenant: 'default', runId: 'r', intentId: 'i1' },
      'once',
    );
    const barrier = async () => ({ checkpointId: 'k1', waitedMs: 2_000 });
    return guard.adapter.call(mail('c1'), { run, barrier }, async () => 'sent');
  },
  // call/recall.ts, call/declare.ts
  ledger_unavailable: async (shop) => {
    Object.assign(shop.ledger, {
      claim: () => Promise.reject(new LedgerError('full', 'the disk is full')),
    });
    return sends(shop, async () => 'sent');
  },
  // call/settle.ts
  result_invalid: ({ run, guard }) =>
    run(() => guard.call(order, async () => JSON.parse('{"orderId":7}'))),
  // call/time.ts
  deadline_exceeded: ({ guard, clock }) =>
    guard.inRun({ intentId: 'i1', limits: { deadline: 1_000 } }, async () => {
      await clock.advance(500);
      return guard.call(order, async () => ({ orderId: 'o1', slot: 'A' }));
    }),
  // call/resolve.ts: an adapter holds the tool against its lock
  contract_changed: ({ guard, run }) =>
    run(() =>
      guard.call(
        {
          ...order,
          flaw: {
            kind: 'contract_changed',
            details: { change: 'changed', fields: ['description'] },
          },
        },
        async () => ({ orderId: 'o1', slot: 'A' }),
      ),
    ),
  // call/admit.ts
  loop_detected: ({ guard, run }) =>
    run(async () => {
      const look = () => guard.call(order, async () => ({ orderId: 'o1', slot: 'A' }));
      for (let times = 0; times < 3; times += 1) await look();
      return look();
    }),
  // call/permit.ts: switched off by hand
  tool_disabled: (shop) => {
    shop.guard.breakers.open('send_mail');
    return sends(shop, async () => 'sent');
  },
  // call/permit.ts
  circuit_open: async (shop) => {
    for (const callId of ['a', 'b', 'c', 'd', 'e']) {
      await shop.guard.call(mail(callId, callId), fails(status(503)));
    }
    return sends(shop, async () => 'sent');
  },
  // call/shape.ts
  result_not_kept: async (shop) => {
    await sends(shop, async () => 'x'.repeat(70_000));
    return sends(shop, async () => 'sent', 'c2');
  },
};

const expected: { readonly [K in FailureKind]: [Failure['effect'], Failure['next']['by']] } = {
  unknown_tool: ['none', 'model'],
  malformed_call: ['none', 'model'],
  output_truncated: ['none', 'model'],
  invalid_arguments: ['none', 'model'],
  contract_changed: ['none', 'nobody'],
  in_flight: ['unknown', 'guard'],
  outcome_unknown: ['unknown', 'nobody'],
  intent_conflict: ['none', 'user'],
  fork_conflict: ['none', 'user'],
  confirmation_required: ['none', 'user'],
  rejected_by_user: ['none', 'nobody'],
  timed_out: ['unknown', 'nobody'],
  cancelled: ['none', 'nobody'],
  transport_lost: ['unknown', 'nobody'],
  dependency_failed: ['unknown', 'nobody'],
  business_error: ['none', 'model'],
  auth_failed: ['none', 'nobody'],
  rate_limited: ['none', 'user'],
  overloaded: ['unknown', 'nobody'],
  not_durable: ['none', 'guard'],
  ledger_unavailable: ['none', 'guard'],
  result_invalid: ['none', 'nobody'],
  deadline_exceeded: ['none', 'nobody'],
  loop_detected: ['none', 'nobody'],
  tool_disabled: ['none', 'nobody'],
  circuit_open: ['none', 'nobody'],
  result_not_kept: ['done', 'nobody'],
};

describe('every kind of failure is produced by the guard', () => {
  it.each(Object.keys(producers) as FailureKind[])('%s', async (kind) => {
    const answer = await producers[kind](desk());
    const failure = failureOf(answer);
    expect(failure.kind).toBe(kind);
    expect([failure.effect, failure.next.by]).toEqual(expected[kind]);
    expect(failure.callId).toMatch(/^c[12]$/);
    expect(failure.intentId).toBe('i1');
    expect(failure.forModel.split('\n').slice(0, 2)).toEqual([
      `status: ${kind}`,
      `effect: ${failure.effect}`,
    ]);
    expect(failure.forModel).toMatch(/^next: /m);
    expect(failure.forUser).not.toBe('');
  });

  it('a failure with an effect names its key, and one without an entry no version', async () => {
    const unknown = failureOf(await producers.outcome_unknown(desk()));
    expect(unknown.idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
    expect(unknown.toolVersion).toBe('1.0.0');
    expect(failureOf(await producers.in_flight(desk())).toolVersion).toBeUndefined();
  });
});

describe("the language of the guard's user", () => {
  it('is that of what the user reads, and of nothing else', async () => {
    const failure = failureOf(await producers.outcome_unknown(desk({ locale: 'ja' })));
    expect(failure.forUser).toContain('「send_mail」が実行されたかどうかは');
    expect(failure.forModel).toBe(failureOf(await producers.outcome_unknown(desk())).forModel);
  });
});

describe('a failure as an exception', () => {
  it('is recognized by its brand, and by its kind', async () => {
    const failure = failureOf(await producers.outcome_unknown(desk()));
    const error = new GuardError(failure);
    expect(isGuardError(error)).toBe(true);
    expect(isGuardError(error, 'outcome_unknown')).toBe(true);
    expect(isGuardError(error, 'timed_out')).toBe(false);
    expect(isGuardError(new Error('no'))).toBe(false);
    expect(isGuardError(null)).toBe(false);
    expect(error.message).toBe(failure.forModel);
    expect(error.code).toBe('outcome_unknown');
  });

  it('keeps its cause', async () => {
    const failure = failureOf(await producers.dependency_failed(desk()));
    expect(new GuardError(failure).cause).toBe(failure.cause);
    expect(failure.cause).toBeInstanceOf(Error);
  });
});
