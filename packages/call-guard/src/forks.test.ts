import { describe, expect, it } from 'vitest';
import type { CallHost } from './call/host.js';
import type { CallRequest } from './call/request.js';
import { type Desk, desk, failureOf, gist, type OrderGuard } from './order-tools.fixture.js';

/** A call as an adapter makes it. */
function call(tool: string, args: unknown, callId: string): CallRequest {
  const place = { messageId: `m of ${callId}`, position: 0, checkpointId: `k of ${callId}` };
  return { tool, args, callId, place };
}
const mail = (callId: string) => call('send_mail', { to: 'A', subject: 's' }, callId);

/** Each invocation is another process, on the course that `branch` tells. */
function host(
  guard: OrderGuard,
  invocation: string,
  branch: 'same' | 'left' | 'unknown',
  asked: unknown[] = [],
): CallHost {
  const identity = { tenant: 'default', runId: 'r1', intentId: 'i1', threadId: 't1' };
  return {
    run: guard.adapter.openRun(identity, invocation).run,
    branch: async (place) => {
      asked.push(place.checkpointId);
      return branch;
    },
  };
}

const sent = async () => 'sent';

/** Another process, after this call was made. */
async function after(shop: Desk, first: CallRequest = mail('c1')): Promise<OrderGuard> {
  await shop.guard.adapter.call(first, host(shop.guard, 'first', 'same'), sent);
  return shop.other();
}

describe('DU-06: an equal effect on a course of the conversation that was left', () => {
  it('stops the call, and says which', async () => {
    const shop = desk();
    const guard = await after(shop);
    const asked: unknown[] = [];
    const answer = await guard.adapter.call(mail('c2'), host(guard, 'second', 'left', asked), sent);
    const [row] = await shop.rows();
    expect(failureOf(answer)).toMatchObject({
      kind: 'fork_conflict',
      effect: 'none',
      details: { key: row?.key, argsDigest: row?.argsDigest, checkpointId: 'k of c1' },
    });
    expect(asked).toEqual(['k of c1']);
    expect(await shop.rows()).toHaveLength(1);
  });

  it.each(['same', 'unknown'] as const)('answers it where the course is %s', async (branch) => {
    const shop = desk();
    const guard = await after(shop);
    const answer = await guard.adapter.call(mail('c2'), host(guard, 'second', branch), sent);
    expect(answer).toMatchObject({ ok: true, folded: 'folded' });
  });

  it('is not asked about where nothing equal is known, nor for what this invocation did itself', async () => {
    const shop = desk();
    const asked: unknown[] = [];
    const here = host(shop.guard, 'first', 'left', asked);
    await shop.guard.adapter.call(mail('c1'), here, sent);
    const again = await shop.guard.adapter.call(mail('c2'), here, sent);
    expect(again).toMatchObject({ ok: true, folded: 'folded' });
    expect(asked).toEqual([]);
  });

  it('is the call’s own result where it is the same call', async () => {
    const shop = desk();
    const guard = await after(shop);
    const answer = await guard.adapter.call(mail('c1'), host(guard, 'second', 'left'), sent);
    expect(answer).toMatchObject({ ok: true, folded: 'replayed' });
  });

  it('stops keyed writes too, and leaves tools without an entry as they are', async () => {
    const shop = desk();
    const slot = { orderId: 'o1', slot: 'am' };
    const guard = await after(shop, call('set_delivery', slot, 'c1'));
    const keyed = call('set_delivery', slot, 'c2');
    expect(gist(await guard.adapter.call(keyed, host(guard, 'second', 'left'), sent))).toBe(
      'fork_conflict, none',
    );
    const other = desk();
    const elsewhere = await after(other, call('legacy', {}, 'c1'));
    const here = host(elsewhere, 'second', 'left');
    const undeclared = await elsewhere.adapter.call(call('legacy', {}, 'c2'), here, sent);
    expect(gist(undeclared)).toBe('ok');
  });

  it('a person reuses its result, wants it once more, or rejects the call', async () => {
    const shop = desk();
    const guard = await after(shop);
    const left = (callId: string) =>
      guard.adapter.call(mail(callId), host(guard, callId, 'left'), sent);
    await left('c2');
    await shop.clock.advance(1);
    const of = { threadId: 't1', callId: 'c2', by: 'ann' } as const;
    await guard.approve({ ...of, decision: 'reuse' });
    expect(await left('c3')).toMatchObject({ ok: true, folded: 'folded', originalCallId: 'c1' });

    await guard.approve({ ...of, decision: 'again' });
    expect(await left('c4')).toMatchObject({ ok: true, folded: false });
    expect((await shop.rows()).map(({ generation }) => generation)).toEqual([0, 1]);
    // Once: what it did now is what the next one meets, and that began after the decision.
    expect(gist(await left('c5'))).toBe('fork_conflict, none');

    await shop.clock.advance(1);
    await guard.approve({ threadId: 't1', callId: 'c5', by: 'ann', decision: 'reject' });
    expect(gist(await left('c6'))).toBe('rejected_by_user, none');
    expect(await shop.rows()).toHaveLength(2);
  });
});
