import { describe, expect, it, vi } from 'vitest';
import type { CallAnswer } from './call/answer.js';
import type { CallHost } from './call/host.js';
import { type Desk, desk, failureOf, gist, never } from './order-tools.fixture.js';

const repetition = { duplicateMs: 2_000, suspicionMs: 600_000 };

/** A session of a host that says nothing of turns or intents: all belong to the name of their server. */
function session({ guard }: Desk, name: string): CallHost {
  const identity = { tenant: 'default', runId: name, intentId: 'mcp:desk' };
  return { run: guard.adapter.openRun(identity, name).run, repetition };
}

let calls = 0;
async function call(
  shop: Desk,
  tool: string,
  args: object,
  {
    from = 's1',
    execute = async (): Promise<unknown> => ({ ok: true }),
    signal,
  }: { from?: string; execute?: () => Promise<unknown>; signal?: AbortSignal } = {},
): Promise<CallAnswer<unknown>> {
  const given = signal === undefined ? {} : { signal };
  const request = { tool, args, callId: `c${++calls}`, ...given };
  return shop.guard.adapter.call(request, session(shop, from), async (_, context) => {
    context.headers();
    return execute();
  });
}
const mail = { to: 'A', subject: 's' };
const delivery = { orderId: 'O1', slot: 'tomorrow' };

function how(answer: CallAnswer<unknown>): string {
  return answer.ok ? String(answer.folded) : gist(answer);
}

describe('an equal call where no turn tells a repetition from a new wish', () => {
  it('is the same one in the duplicate window, whatever its class', async () => {
    const shop = desk();
    for (const [tool, args] of [
      ['send_mail', mail],
      ['set_delivery', delivery],
    ] as const) {
      expect(how(await call(shop, tool, args))).toBe('false');
      await shop.clock.advance(2_000);
      expect(how(await call(shop, tool, args))).toBe('folded');
    }
  });

  it('of an idempotent write is a new wish after it', async () => {
    const shop = desk();
    await call(shop, 'set_delivery', delivery);
    await shop.clock.advance(2_001);
    expect(how(await call(shop, 'set_delivery', delivery))).toBe('false');
    expect((await shop.rows('mcp:desk')).map((row) => row.generation)).toEqual([0, 1]);
  });

  it('of an irreversible tool needs a word of a person in the suspicion window, in other sessions too', async () => {
    const shop = desk();
    await call(shop, 'send_mail', mail);
    const doneAt = shop.clock.wallMs();
    await shop.clock.advance(2_001);
    const refused = await call(shop, 'send_mail', mail, { from: 's2' });
    expect(failureOf(refused)).toMatchObject({
      kind: 'confirmation_required',
      effect: 'none',
      details: { why: 'repeat', doneAt },
    });
    expect(failureOf(refused).forModel).toContain(new Date(doneAt).toISOString());
    await shop.clock.advance(600_000);
    expect(how(await call(shop, 'send_mail', mail, { from: 's2' }))).toBe('false');
  });

  it('is made again, or answered, as a person says', async () => {
    for (const [decision, becomes] of [
      ['again', 'false'],
      ['reuse', 'folded'],
      ['reject', 'rejected_by_user, none'],
    ] as const) {
      const shop = desk();
      await call(shop, 'send_mail', mail);
      await shop.clock.advance(2_001);
      const failure = failureOf(await call(shop, 'send_mail', mail));
      await shop.guard.approve({ callId: failure.callId, decision, by: 'ann', failure });
      expect(how(await call(shop, 'send_mail', mail))).toBe(becomes);
    }
  });

  it('is not approved like one that waits for consent: there is something done already', async () => {
    const shop = desk();
    await call(shop, 'send_mail', mail);
    await shop.clock.advance(2_001);
    const failure = failureOf(await call(shop, 'send_mail', mail));
    await expect(
      shop.guard.approve({ callId: failure.callId, decision: 'approve', by: 'ann', failure }),
    ).rejects.toMatchObject({ code: 'answer_invalid' });
  });

  it('of a wish of the business is one for good', async () => {
    const shop = desk();
    await call(shop, 'close_order', { orderId: 'O1' });
    await shop.clock.advance(86_400_000);
    expect(how(await call(shop, 'close_order', { orderId: 'O1' }))).toBe('folded');
  });

  it('of a tool without an entry is stopped by an unknown outcome for the suspicion window, and runs when it was done', async () => {
    const shop = desk();
    await call(shop, 'ping', {});
    expect(how(await call(shop, 'ping', {}))).toBe('false');
    const lost = async (): Promise<never> => {
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    };
    expect(how(await call(shop, 'pong', {}, { execute: lost }))).toBe('transport_lost, unknown');
    expect(how(await call(shop, 'pong', {}, { from: 's2' }))).toBe('outcome_unknown, unknown');
    await shop.clock.advance(600_001);
    expect(how(await call(shop, 'pong', {}, { from: 's2' }))).toBe('false');
  });

  it('MCP-07: of a tool without an entry is the same call while that is under way, in this session and in others', async () => {
    const shop = desk();
    let sent = 0;
    let finish = (): void => {};
    const execute = (): Promise<unknown> => {
      sent += 1;
      return new Promise((resolve) => {
        finish = () => resolve({ ok: true });
      });
    };
    const calls = [
      call(shop, 'ping', {}, { execute }),
      call(shop, 'ping', {}, { execute }),
      call(shop, 'ping', {}, { execute, from: 's2' }),
    ];
    await vi.waitFor(() => expect(sent).toBe(1));
    finish();
    expect((await Promise.all(calls)).map(how)).toEqual(['false', 'folded', 'folded']);
    expect(sent).toBe(1);
    // It is over: the next one is a new wish, as of any tool of which nothing is known.
    expect(how(await call(shop, 'ping', {}))).toBe('false');
  });

  it('of a tool without an entry is the same call when its host gave up, asked again and the answer came after all', async () => {
    const shop = desk();
    let finish = (): void => {};
    let sent = 0;
    const execute = (): Promise<unknown> => {
      sent += 1;
      return new Promise((resolve) => {
        finish = () => resolve({ ok: true });
      });
    };
    const host = new AbortController();
    const first = call(shop, 'ping', {}, { execute, signal: host.signal });
    await vi.waitFor(() => expect(sent).toBe(1));
    host.abort();
    expect(how(await first)).toBe('cancelled, unknown');
    const second = call(shop, 'ping', {}, { execute });
    finish();
    expect(how(await second)).toBe('folded');
    expect(sent).toBe(1);
  });

  it('of a tool without an entry is told after 10 seconds that nobody knows, where what was given up is never answered', async () => {
    const shop = desk();
    let sent = 0;
    const execute = (): Promise<unknown> => {
      sent += 1;
      return never();
    };
    const host = new AbortController();
    const first = call(shop, 'ping', {}, { execute, signal: host.signal });
    await vi.waitFor(() => expect(sent).toBe(1));
    host.abort();
    await first;
    const second = call(shop, 'ping', {}, { execute });
    expect(how(await shop.after(10_000, second))).toBe('outcome_unknown, unknown');
    expect(sent).toBe(1);
  });

  it('of a tool without an entry waits for the one of another process', async () => {
    const here = desk();
    const there = { ...here, guard: here.other() };
    let finish = (): void => {};
    let sent = 0;
    const execute = (): Promise<unknown> => {
      sent += 1;
      return new Promise((resolve) => {
        finish = () => resolve({ ok: true });
      });
    };
    const first = call(here, 'ping', {}, { execute });
    await vi.waitFor(() => expect(sent).toBe(1));
    const second = call(there, 'ping', {}, { execute, from: 's2' });
    await here.clock.advance(60);
    finish();
    await first;
    expect(how(await here.after(200, second))).toBe('folded');
    expect(sent).toBe(1);
  });

  it('of unknown outcome is never sent again where the class says so, however long ago', async () => {
    const shop = desk();
    const first = call(shop, 'send_mail', mail, { execute: never });
    await shop.after(10_000, first);
    await shop.clock.advance(86_400_000);
    expect(how(await call(shop, 'send_mail', mail))).toBe('outcome_unknown, unknown');
  });
});
