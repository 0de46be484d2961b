/** Cases of the field, from the service's answer to what the call comes to. */
import { describe, expect, it } from 'vitest';
import { currentCall } from './call-context.js';
import { coded, desk, failureOf, gist } from './order-tools.fixture.js';

const order = (orderId: string) =>
  ({ tool: 'get_order', args: { orderId }, callId: orderId }) as const;
const mail = { tool: 'send_mail', args: { to: 'A', subject: 's' }, callId: 'c1' } as const;
const found = async (): Promise<{ orderId: string; slot: string }> => ({ orderId: 'o', slot: 's' });

/** As the OpenAI SDK throws it. */
function refusal(status: number, code: string, headers: Record<string, string> = {}): Error {
  const error = { message: code, type: 'invalid_request_error', code };
  return Object.assign(new Error(`${status} ${code}`), {
    status,
    code,
    error,
    headers: new Headers(headers),
  });
}
const fails = (error: unknown) => async (): Promise<never> => {
  throw error;
};
const limited = (retryAfter: string) =>
  refusal(429, 'rate_limit_exceeded', { 'retry-after': retryAfter });

/** Answers the first call so, and all others well. */
function once(error: unknown) {
  const at: number[] = [];
  const shop = desk();
  const work = async () => {
    at.push(shop.clock.monotonicMs());
    if (at.length === 1) throw error;
    return found();
  };
  return { shop, at, work };
}

describe('what the request itself is at fault for', () => {
  it('RS-08: is neutral for the breaker, and reported unretried', async () => {
    const shop = desk();
    await shop.run(async () => {
      for (let i = 0; i < 20; i += 1) {
        const answer = await shop.guard.call(
          order(`o${i}`),
          fails(refusal(400, 'context_length_exceeded')),
        );
        expect(answer).toMatchObject({ failure: { kind: 'business_error', attempts: 1 } });
      }
      expect(gist(await shop.guard.call(order('valid'), found))).toBe('ok');
    });
    expect(shop.guard.counts().breaker_state_changed).toBe(0);
  });

  it("RS-10: neither is the caller's cancel a failure of the service", async () => {
    const shop = desk();
    const controller = new AbortController();
    await shop.run(async () => {
      const calls = Array.from({ length: 10 }, (_, i) =>
        shop.guard.call(
          { ...order(`o${i}`), signal: controller.signal },
          () =>
            new Promise((_resolve, reject) => {
              currentCall()?.signal.addEventListener('abort', () => reject(new Error('aborted')));
            }),
        ),
      );
      await shop.clock.advance(0);
      controller.abort();
      expect(new Set((await Promise.all(calls)).map(gist))).toEqual(new Set(['cancelled, none']));
      expect(gist(await shop.guard.call(order('valid'), found))).toBe('ok');
    });
    expect(shop.guard.counts().breaker_state_changed).toBe(0);
  });
});

describe('RS-23: a tool that must not be sent twice', () => {
  it('is not, after its connection was reset, and nobody is told to', async () => {
    const { shop, at, work } = once(coded('ECONNRESET'));
    const answer = await shop.after(
      60_000,
      shop.run(() => shop.guard.call(mail, work)),
    );
    expect(at.length).toBe(1);
    const failure = failureOf(answer);
    expect(gist(answer)).toBe('transport_lost, unknown');
    expect(failure.next).toEqual({ by: 'nobody', advice: 'hand_off' });
    expect(failure.forModel).toContain('next: do not repeat this call');
    expect(failure.forModel.replace('do not repeat', '')).not.toMatch(/again|repeat|retry/i);
  });
});

describe('a wait that a service asks for', () => {
  it('RS-28: is honored exactly', async () => {
    const { shop, at, work } = once(limited('2.5'));
    const answer = shop.run(() => shop.guard.call(order('o'), work));
    await shop.clock.advance(2_499);
    expect(at).toEqual([0]);
    expect(gist(await shop.after(1, answer))).toBe('ok');
    expect(at).toEqual([0, 2_500]);
  });

  it('RS-25: is none where it cannot be read: the guard takes its own', async () => {
    for (const value of ['soon', '0', 'Wed, 31 Dec 2025 00:00:00 GMT']) {
      const { shop, at, work } = once(limited(value));
      expect(
        gist(
          await shop.after(
            1_000,
            shop.run(() => shop.guard.call(order('o'), work)),
          ),
        ),
      ).toBe('ok');
      // Half of its bound, as the test's chance has it.
      expect(at).toEqual([0, 125]);
      expect(shop.guard.counts().warning).toBe(value === 'soon' ? 1 : 0);
    }
  });

  it('RS-27: is not slept through where it is too long: until then nobody is sent', async () => {
    const { shop, at, work } = once(limited('3600'));
    const answer = await shop.run(() => shop.guard.call(order('o'), work));
    expect(failureOf(answer)).toMatchObject({
      kind: 'rate_limited',
      details: { retryAfterMs: 3_600_000 },
      attempts: 1,
    });
    const next = await shop.run(() => shop.guard.call(order('o2'), work), 'i2');
    expect(failureOf(next)).toMatchObject({
      kind: 'circuit_open',
      details: { retryAfterMs: 3_600_000 },
    });
    expect(at).toEqual([0]);
    expect(shop.clock.pending()).toBe(0);
  });

  it('RS-31: an overload without a hint is tried again, and shuts nobody out', async () => {
    const { shop, at, work } = once(refusal(529, 'overloaded_error'));
    expect(
      gist(
        await shop.after(
          1_000,
          shop.run(() => shop.guard.call(order('o'), work)),
        ),
      ),
    ).toBe('ok');
    expect(at).toEqual([0, 125]);
    expect(shop.guard.counts().breaker_state_changed).toBe(0);
  });
});

describe("DU-11: the guard's retry above the provider's key", () => {
  const delivery = (slot: string) =>
    ({
      tool: 'set_delivery',
      args: { orderId: 'o1', slot },
      callId: 'c1',
      callKey: 'k1',
    }) as const;

  /** A provider that recognizes a repeated key, and whose first answer is lost. */
  function provider() {
    const keys: string[] = [];
    const made = new Map<string, string>();
    const ask = async (slot: string): Promise<string> => {
      const key = currentCall()?.headers()['idempotency-key'] ?? '';
      keys.push(key);
      if (!made.has(key)) made.set(key, `delivery ${slot}`);
      if (keys.length === 1) throw coded('ECONNRESET');
      return made.get(key) ?? '';
    };
    return { keys, made, ask };
  }

  it('the provider sees the same key twice and makes one delivery', async () => {
    const shop = desk();
    const { keys, made, ask } = provider();
    const answer = await shop.after(
      1_000,
      shop.run(() => shop.guard.call(delivery('am'), ({ slot }) => ask(slot))),
    );
    expect(answer).toMatchObject({ ok: true, result: 'delivery am', attempts: 2 });
    expect(keys.length).toBe(2);
    expect([...new Set(keys)]).toEqual([...made.keys()]);
    // Other arguments under that key never reach the wire.
    const changed = await shop.run(() => shop.guard.call(delivery('pm'), ({ slot }) => ask(slot)));
    expect(gist(changed)).toBe('intent_conflict, none');
    expect(keys.length).toBe(2);
  });
});
