import { describe, expect, it } from 'vitest';
import type { CallHost } from './call/host.js';
import { coded, type Desk, desk, gist } from './order-tools.fixture.js';

class Pause extends Error {}

const mail = (callId: string) =>
  ({
    tool: 'send_mail',
    args: { to: 'A', subject: 's' },
    callId,
    place: { messageId: 'm1', position: 0 },
  }) as const;

function host({ guard }: Desk, invocation: string): CallHost {
  const identity = { tenant: 'default', runId: 'r1', intentId: 'i1' };
  return {
    run: guard.adapter.openRun(identity, invocation).run,
    suspends: (thrown) => thrown instanceof Pause,
  };
}

describe("the framework's own control flow inside a tool", () => {
  it('suspends the row and is thrown on; the resumed call goes on under the same key', async () => {
    const shop = desk();
    const { guard, rows, events } = shop;
    await expect(
      guard.adapter.call(mail('c1'), host(shop, 'first'), async () => {
        throw new Pause('ask the user');
      }),
    ).rejects.toThrow('ask the user');
    expect((await rows()).map((row) => row.state)).toEqual(['suspended']);
    expect(events.of('call_finished').map((event) => event.outcome)).toEqual(['suspended']);

    const resumed = await guard.adapter.call(mail('c1'), host(shop, 'second'), async () => 'sent');
    expect(resumed).toMatchObject({ ok: true, result: 'sent', folded: false });
    expect((await rows()).map((row) => [row.state, row.attempts.length])).toEqual([
      ['succeeded', 2],
    ]);
    expect(events.of('effect_declared').map((event) => event.why)).toEqual(['new', 'resumed']);
    expect(shop.clock.pending()).toBe(0);
  });

  it('an equal call from another place does not take a suspended one over', async () => {
    const shop = desk();
    await shop.guard.adapter
      .call(mail('c1'), host(shop, 'first'), async () => {
        throw new Pause('ask the user');
      })
      .catch(() => {});
    const other = await shop.guard.adapter.call(
      { ...mail('c2'), place: { messageId: 'm2', position: 0 } },
      host(shop, 'first'),
      async () => expect.unreachable(),
    );
    expect(gist(other)).toBe('in_flight, unknown');
  });

  it('a try in doubt before the pause is not made certain by what fails after it', async () => {
    const shop = desk();
    const request = {
      tool: 'set_delivery',
      args: { orderId: 'o1', slot: 'am' },
      callId: 'c1',
      place: { messageId: 'm1', position: 0 },
    } as const;
    let tries = 0;
    const paused = shop.guard.adapter.call(request, host(shop, 'first'), async (_args, call) => {
      call.headers();
      tries += 1;
      throw tries === 1 ? coded('ECONNRESET') : new Pause('ask the user');
    });
    await expect(shop.after(1_000, paused)).rejects.toThrow('ask the user');
    expect((await shop.rows()).map(({ state, attempts }) => [state, attempts[0]?.ended])).toEqual([
      ['suspended', 'unknown'],
    ]);

    const resumed = await shop.guard.adapter.call(request, host(shop, 'second'), async () => {
      throw Object.assign(new Error('sold out'), { status: 422 });
    });
    expect(gist(resumed)).toBe('business_error, unknown');
    expect((await shop.rows()).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('two resumes at once run the tool once', async () => {
    const shop = desk();
    await shop.guard.adapter
      .call(mail('c1'), host(shop, 'first'), async () => {
        throw new Pause('ask the user');
      })
      .catch(() => {});
    let ran = 0;
    const resume = (invocation: string) =>
      shop.guard.adapter.call(mail('c1'), host(shop, invocation), async () => ++ran);
    const answers = await Promise.all([resume('second'), resume('third')]);
    expect(ran).toBe(1);
    expect(answers.map((answer) => answer.ok && answer.result)).toEqual([1, 1]);
  });

  it('without such a framework the same error is a failure', async () => {
    const { run, guard } = desk();
    const answer = await run(() =>
      guard.call(mail('c1'), async () => {
        throw new Pause('ask the user');
      }),
    );
    expect(gist(answer)).toBe('dependency_failed, unknown');
  });
});
