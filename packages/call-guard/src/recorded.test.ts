import { describe, expect, it } from 'vitest';
import { coded, type Desk, desk, failureOf, gist, never } from './order-tools.fixture.js';

const mail = { tool: 'send_mail', args: { to: 'a', subject: 's' }, callId: 'c1' } as const;
const place = { messageId: 'm1', position: 0 };
const request = { ...mail, place };

/** What a later invocation of the same work can say of the call. */
async function recordedIn(
  shop: Desk,
  asked: Parameters<typeof shop.guard.adapter.recorded>[0],
  looks = true,
) {
  const { run } = shop.guard.adapter.openRun(
    { tenant: 'default', runId: 'run:default/i1', intentId: 'i1' },
    'later',
  );
  if (looks) await run.view.load();
  const answer = await shop.guard.adapter.recorded(asked, { run }, 'newer-input');
  return { answer, run };
}

describe('what is recorded of a call that nobody answered', () => {
  it('is its result, once it is done', async () => {
    const shop = desk();
    await shop.run(() => shop.guard.call(request, async () => 'sent'));
    const { answer, run } = await recordedIn(shop, request);
    expect(answer).toMatchObject({ ok: true, result: 'sent', folded: 'replayed' });
    expect([...run.consumed]).toEqual([answer.ok ? answer.key : '']);
  });

  it('is that nobody knows, where the outcome is unknown', async () => {
    const shop = desk();
    await shop.run(() =>
      shop.guard.call(request, async () => {
        throw coded('ECONNRESET');
      }),
    );
    const { answer } = await recordedIn(shop, request);
    expect(gist(answer)).toBe('outcome_unknown, unknown');
    expect(failureOf(answer).idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is that nobody knows, while it is tried', async () => {
    const shop = desk();
    void shop.run(() => shop.guard.call(request, never));
    await shop.clock.advance(0);
    expect(gist((await recordedIn(shop, request)).answer)).toBe('outcome_unknown, unknown');
  });

  it('is that it never happened, where it failed or was never made', async () => {
    const shop = desk();
    await shop.run(() => shop.guard.call({ ...request, callId: 'c2' }, async () => 'sent'));
    const { answer } = await recordedIn(shop, request);
    expect(gist(answer)).toBe('cancelled, none');
    expect(failureOf(answer).forModel).toContain('the conversation went on before it');
    const refused = desk();
    await refused.run(() =>
      refused.guard.call(request, async () => {
        throw Object.assign(new Error('no'), { status: 422 });
      }),
    );
    expect(gist((await recordedIn(refused, request)).answer)).toBe('cancelled, none');
  });

  it('is open for a delegate, whose effects are its own calls`', async () => {
    const asked = { tool: 'research', args: { question: 'q' }, callId: 'c1' };
    expect(gist((await recordedIn(desk(), asked)).answer)).toBe('cancelled, unknown');
  });

  it('is open for a call with effects while the ledger cannot be read, and not for a read', async () => {
    const read = { tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' };
    expect(gist((await recordedIn(desk(), request, false)).answer)).toBe('cancelled, unknown');
    expect(gist((await recordedIn(desk(), read, false)).answer)).toBe('cancelled, none');
  });

  it('is what is wrong with it, where it could not be made', async () => {
    const flaw = { kind: 'malformed_call', details: { echo: '{' } } as const;
    expect(gist((await recordedIn(desk(), { ...request, flaw })).answer)).toBe(
      'malformed_call, none',
    );
  });
});
