/** Work inside of a call that opens a run of its own. */
import { describe, expect, it } from 'vitest';
import { desk, gist } from './order-tools.fixture.js';

const order = { tool: 'get_order', args: { orderId: 'o1' }, callId: 'outer' } as const;
const mail = { tool: 'send_mail', args: { to: 'A', subject: 's' }, callId: 'c1' } as const;
const there = { orderId: 'o1', slot: 'am' };

describe('a run inside of a call', () => {
  it.each([
    [false, 1],
    [true, 3],
  ])('leaves its retries to it, unless it is detached: %s', async (detached, requests) => {
    const { guard, run, after } = desk();
    let sent = 0;
    const outer = run(() =>
      guard.call(order, async () => {
        const inner = guard.inRun({ intentId: 'inner', detached }, () =>
          guard.call({ ...order, callId: 'inner', args: { orderId: 'o2' } }, async () => {
            sent += 1;
            throw Object.assign(new Error('unavailable'), { status: 503 });
          }),
        );
        expect(gist(await inner)).toBe('dependency_failed, none');
        return there;
      }),
    );
    expect(gist(await after(900, outer))).toBe('ok');
    expect(sent).toBe(requests);
  });

  it('does not wait for the call that it is in', async () => {
    const { guard, run } = desk();
    const outer = await run(() =>
      guard.call(mail, async () => {
        const again = await run(() => guard.call({ ...mail, callId: 'c2' }, async () => 'twice'));
        return gist(again);
      }),
    );
    expect(outer).toMatchObject({ ok: true, result: 'in_flight, unknown' });
  });
});
