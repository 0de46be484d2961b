import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { currentCall } from './call-context.js';
import { desk, gate, gist } from './order-tools.fixture.js';
import type { AuthFailure, RefreshAuth } from './refresh-auth.js';

/** A service that accepts one token, and a hook that may fetch it. */
function service(refresh: (known: Token) => void | Promise<void> = () => {}) {
  const known: Token = { accepted: 'new', held: 'old' };
  const asked: AuthFailure[] = [];
  const sent: string[] = [];
  const refreshAuth: RefreshAuth = async (failure) => {
    asked.push(failure);
    await refresh(known);
  };
  /** A tool that shows its token. */
  const use = async (): Promise<string> => {
    sent.push(known.held);
    if (known.held !== known.accepted) {
      throw Object.assign(new Error('401'), { status: 401 });
    }
    return 'sent';
  };
  return { known, asked, sent, refreshAuth, use };
}
interface Token {
  accepted: string;
  held: string;
}
const renews = (known: Token) => {
  known.held = known.accepted;
};

const mail = (callId: string) =>
  ({ tool: 'send_mail', args: { to: callId, subject: 's' }, callId }) as const;

describe('expired credentials', () => {
  it('are renewed, and the call is tried once more, whatever its class', async () => {
    const { asked, sent, refreshAuth, use } = service(renews);
    const shop = desk({ refreshAuth });
    const answer = await shop.run(() => shop.guard.call(mail('c1'), use));
    expect(answer).toMatchObject({ ok: true, result: 'sent', attempts: 2 });
    expect(asked).toEqual([{ tool: 'send_mail', resourceGroup: 'mail', status: 401 }]);
    expect(sent).toEqual(['old', 'new']);
    expect(shop.events.of('auth_refreshed')).toMatchObject([
      { outcome: 'renewed', tool: 'send_mail', resourceGroup: 'mail' },
    ]);
    expect(shop.clock.pending()).toBe(0);
  });

  it('are renewed once for all calls that wait', async () => {
    const renewed = gate<void>();
    const { asked, sent, refreshAuth, use } = service(async (known) => {
      await renewed.promise;
      renews(known);
    });
    const shop = desk({ refreshAuth });
    const calls = shop.run(() =>
      Promise.all(['c1', 'c2', 'c3'].map((id) => shop.guard.call(mail(id), use))),
    );
    await shop.clock.advance(0);
    renewed.open();
    expect((await calls).map(gist)).toEqual(['ok', 'ok', 'ok']);
    expect(asked.length).toBe(1);
    expect(sent).toEqual(['old', 'old', 'old', 'new', 'new', 'new']);
  });

  it('need no renewal for a call that was denied with those of before', async () => {
    const { asked, refreshAuth, use } = service(renews);
    const shop = desk({ refreshAuth });
    const answered = gate<void>();
    const answers = await shop.run(async () => {
      const slow = shop.guard.call(mail('slow'), async () => {
        const sending = use();
        sending.catch(() => {});
        if (currentCall()?.attempt === 1) await answered.promise;
        return sending;
      });
      const quick = await shop.guard.call(mail('quick'), use);
      answered.open();
      return [quick, await slow];
    });
    expect(answers.map(gist)).toEqual(['ok', 'ok']);
    expect(asked.length).toBe(1);
  });

  it('that stay wrong end each call after one more try, and everyone fails fast', async () => {
    const { asked, sent, refreshAuth, use } = service();
    const shop = desk({ refreshAuth });
    const first = await shop.run(() => shop.guard.call(mail('c1'), use));
    expect([gist(first), sent.length]).toEqual(['auth_failed, none', 2]);
    const next = await shop.run(() => shop.guard.call(mail('c2'), use));
    expect([gist(next), sent.length, asked.length]).toEqual(['auth_failed, none', 3, 1]);
  });

  it('are renewed again after the cool time', async () => {
    const { known, asked, refreshAuth, use } = service();
    const shop = desk({ refreshAuth, settings: { authCoolMs: 5_000 } });
    await shop.run(() => shop.guard.call(mail('c1'), use));
    await shop.clock.advance(4_999);
    await shop.run(() => shop.guard.call(mail('c2'), use));
    expect(asked.length).toBe(1);
    await shop.clock.advance(1);
    known.accepted = 'old';
    expect(gist(await shop.run(() => shop.guard.call(mail('c3'), use)))).toBe('ok');
    known.accepted = 'newer';
    await shop.run(() => shop.guard.call(mail('c4'), use));
    expect(asked.length).toBe(2);
  });

  it('are renewed again when they expire after they worked', async () => {
    const { known, asked, refreshAuth, use } = service(renews);
    const shop = desk({ refreshAuth });
    for (const [index, token] of ['one', 'two', 'three'].entries()) {
      known.accepted = token;
      expect(gist(await shop.run(() => shop.guard.call(mail(`c${index}`), use)))).toBe('ok');
    }
    expect(asked.length).toBe(3);
  });

  it('of one resource group are nothing to another', async () => {
    const { asked, refreshAuth, use } = service();
    const shop = desk({ refreshAuth });
    await shop.run(() => shop.guard.call(mail('c1'), use));
    const request = { tool: 'get_order', args: { orderId: 'o' }, callId: 'c2' } as const;
    await shop.run(() =>
      shop.guard.call(request, async () => ({ orderId: await use(), slot: '' })),
    );
    expect(asked.map(({ resourceGroup }) => resourceGroup)).toEqual(['mail', 'orders']);
  });
});

describe('a hook', () => {
  it.each<[string, (known: Token) => void | Promise<void>, string]>([
    ['that rejects', () => Promise.reject(new Error('no refresh token')), 'no refresh token'],
    [
      'that throws',
      () => {
        throw new Error('not configured');
      },
      'not configured',
    ],
  ])('%s fails all that wait, and is left alone for a time', async (_, refresh, why) => {
    const { asked, sent, refreshAuth, use } = service(refresh);
    const shop = desk({ refreshAuth });
    const calls = await shop.run(() =>
      Promise.all(['c1', 'c2'].map((id) => shop.guard.call(mail(id), use))),
    );
    expect(calls.map(gist)).toEqual(['auth_failed, none', 'auth_failed, none']);
    expect([asked.length, sent.length]).toEqual([1, 2]);
    expect(shop.events.of('auth_refreshed')).toMatchObject([{ outcome: 'failed', why }]);
    await shop.run(() => shop.guard.call(mail('c3'), use));
    expect(asked.length).toBe(1);
    await shop.clock.advance(30_000);
    await shop.run(() => shop.guard.call(mail('c4'), use));
    expect(asked.length).toBe(2);
  });

  it('that never ends holds nobody up for ever', async () => {
    const { refreshAuth, use } = service(() => new Promise(() => {}));
    const shop = desk({ refreshAuth, settings: { authRefreshMs: 2_000 } });
    const call = shop.run(() => shop.guard.call(mail('c1'), use));
    expect(gist(await shop.after(2_000, call))).toBe('auth_failed, none');
    expect(shop.events.of('auth_refreshed')).toMatchObject([
      { outcome: 'failed', why: 'refreshAuth did not end within 2000 ms' },
    ]);
  });

  it('is not waited for by a caller that gave up', async () => {
    const { refreshAuth, use } = service(() => new Promise(() => {}));
    const shop = desk({ refreshAuth });
    const controller = new AbortController();
    const { signal } = controller;
    const call = shop.run(() => shop.guard.call({ ...mail('c1'), signal }, use));
    await shop.clock.advance(0);
    controller.abort();
    expect(gist(await call)).toBe('auth_failed, none');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('runs outside of the call that it was called for', async () => {
    let inside: unknown = 'not called';
    const { refreshAuth, use } = service((known) => {
      inside = currentCall();
      renews(known);
    });
    const shop = desk({ refreshAuth });
    const research = { tool: 'research', args: { question: 'q' }, callId: 'c0' } as const;
    await shop.run(() => shop.guard.call(research, () => shop.guard.call(mail('c1'), use)));
    expect(inside).toBeUndefined();
  });
});

describe('a denial', () => {
  const denied = (more: object) => async (): Promise<string> => {
    throw Object.assign(new Error('denied'), more);
  };

  it.each([
    ['that no credentials would change', { status: 403 }],
    ['of a quota that is spent', { status: 429, code: 'insufficient_quota' }],
  ])('%s is not for the hook', async (_, more) => {
    const { asked, refreshAuth } = service(renews);
    const shop = desk({ refreshAuth });
    expect(gist(await shop.run(() => shop.guard.call(mail('c1'), denied(more))))).toBe(
      'auth_failed, none',
    );
    expect(asked).toEqual([]);
  });

  it('of a tool without an entry is not tried again, nor one beyond the tries of its guard', async () => {
    const { asked, refreshAuth, use } = service(renews);
    const shop = desk({ refreshAuth });
    const legacy = { tool: 'legacy', args: {}, callId: 'c1' };
    expect(gist(await shop.run(() => shop.guard.call(legacy, use)))).toBe('auth_failed, none');
    const once = desk({ refreshAuth, settings: { attempts: 1 } });
    expect(gist(await once.run(() => once.guard.call(mail('c1'), use)))).toBe('auth_failed, none');
    expect(asked).toEqual([]);
  });

  it('without a hook fails at once', async () => {
    const { sent, use } = service();
    const shop = desk();
    expect(gist(await shop.run(() => shop.guard.call(mail('c1'), use)))).toBe('auth_failed, none');
    expect(sent.length).toBe(1);
    expect(shop.guard.counts().auth_refreshed).toBe(0);
  });
});
