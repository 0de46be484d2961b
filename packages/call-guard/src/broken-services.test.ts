/** Cases of the field about breakers and retries, as a call through the guard meets them. */
import { LedgerError } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import type { CallAnswer } from './call/answer.js';
import { GuardError } from './failure.js';
import { coded, type Desk, desk, failureOf, gate, gist, never } from './order-tools.fixture.js';

type Work = () => Promise<unknown>;
const unavailable: Work = async () => {
  throw Object.assign(new Error('unavailable'), { status: 503 });
};
const limited = (retryAfter: string): Work => {
  const headers = { 'retry-after': retryAfter };
  return async () => {
    throw Object.assign(new Error('too many'), { status: 429, headers });
  };
};
const charge = { id: null, asOf: 0, authoritative: true, says: 'one' };
const found: Work = async () => charge;

/** One try of a read that has no time limit of its own, each in a run of its own. */
let runs = 0;
function look(
  { guard, run }: Desk,
  work: Work,
  signal?: AbortSignal,
): Promise<CallAnswer<unknown>> {
  const callId = `look ${runs++}`;
  const request = { tool: 'find_charge', args: { orderId: callId }, callId } as const;
  return run(
    () => guard.call({ ...request, ...(signal === undefined ? {} : { signal }) }, work as never),
    callId,
  );
}

const oneTry = { settings: { attempts: 1 } };
/** Five failures: its breaker is open for 30 seconds. */
async function broken(options = oneTry): Promise<Desk> {
  const shop = desk(options);
  const failing = Array.from({ length: 5 }, () => look(shop, unavailable));
  await shop.after(1_000, Promise.all(failing));
  expect(health(shop).state).toBe('open');
  return shop;
}
const health = ({ guard }: Desk) => {
  const known = guard.breakers.health('find_charge');
  if (known === undefined) throw new Error('never called');
  return known;
};

describe('the probe of a broken tool', () => {
  it('RS-01: that never ends loses its slot with its lease, and counts as failed', async () => {
    const shop = await broken();
    await shop.clock.advance(30_000);
    const late = gate<unknown>();
    const probe = look(shop, () => late.promise);
    await shop.clock.advance(0);
    // Without a time limit the lease is the longest cool-down.
    await shop.clock.advance(599_999);
    expect(gist(await look(shop, found))).toBe('circuit_open, none');
    await shop.clock.advance(1);
    expect(failureOf(await look(shop, found)).details).toMatchObject({ retryAfterMs: 60_000 });
    await shop.clock.advance(60_000);
    // The late answer is the caller's, and decides nothing.
    late.open(charge);
    expect(gist(await probe)).toBe('ok');
    expect(health(shop).state).toBe('half-open');
    for (let i = 0; i < 2; i += 1) expect(gist(await look(shop, found))).toBe('ok');
    expect(health(shop).state).toBe('closed');
  });

  it.each<[string, (settle: ReturnType<typeof gate<unknown>>) => Promise<void> | void]>([
    ['fails', (settle) => settle.fail(coded('ECONNRESET'))],
    ['is refused as wrong', (settle) => settle.fail(Object.assign(new Error(), { status: 422 }))],
    ['succeeds', (settle) => settle.open(charge)],
  ])('RS-01: gives its slot back when it %s', async (_, end) => {
    const shop = await broken();
    await shop.clock.advance(30_000);
    const settle = gate<unknown>();
    const probe = look(shop, () => settle.promise);
    await shop.clock.advance(0);
    await end(settle);
    await probe;
    await shop.clock.advance(600_000);
    expect(gist(await look(shop, found))).toBe('ok');
  });

  it('RS-01: that cannot be written down gives its slot back', async () => {
    let isDown = false;
    const shop = desk(oneTry, (ledger) => ({
      ...ledger,
      claim: (...given) =>
        isDown ? Promise.reject(new LedgerError('full', 'no room')) : ledger.claim(...given),
    }));
    let calls = 0;
    const setSlot = (work: Work): Promise<CallAnswer<unknown>> => {
      const callId = `set ${calls++}`;
      const request = {
        tool: 'set_delivery',
        args: { orderId: callId, slot: 'A' },
        callId,
      } as const;
      return shop.run(() => shop.guard.call(request, work as never), callId);
    };
    for (let i = 0; i < 5; i += 1) await setSlot(() => Promise.reject(coded('ECONNREFUSED')));
    expect(gist(await setSlot(never))).toBe('circuit_open, none');
    await shop.clock.advance(30_000);
    isDown = true;
    expect(gist(await setSlot(never))).toBe('ledger_unavailable, none');
    isDown = false;
    expect(gist(await setSlot(() => Promise.reject(coded('ECONNREFUSED'))))).toBe(
      'transport_lost, none',
    );
  });

  it('RS-02: whose caller gives up gives its slot back, and nothing else changes', async () => {
    const shop = await broken();
    await shop.clock.advance(30_000);
    const caller = new AbortController();
    const probe = look(shop, never, caller.signal);
    await shop.clock.advance(0);
    expect(gist(await look(shop, found))).toBe('circuit_open, none');
    caller.abort();
    expect(gist(await probe)).toBe('cancelled, none');
    expect(health(shop).state).toBe('half-open');
    expect(gist(await look(shop, unavailable))).toBe('dependency_failed, none');
    // The cool-down grew by that failure alone.
    expect(failureOf(await look(shop, found)).details).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('RS-03: is one, whatever the crowd, and nobody waits behind it', async () => {
    const shop = await broken();
    await shop.clock.advance(30_000);
    let bodies = 0;
    const settle = gate<unknown>();
    const work: Work = () => {
      bodies += 1;
      return settle.promise;
    };
    const crowd = Array.from({ length: 50 }, () => look(shop, work));
    const refused = await Promise.all(crowd.slice(1));
    expect(bodies).toBe(1);
    expect(new Set(refused.map(gist))).toEqual(new Set(['circuit_open, none']));
    expect(failureOf(refused[0] ?? expect.unreachable()).details).toEqual({
      since: expect.any(Number),
      retryAfterMs: 600_000,
      scope: 'tool',
    });
    settle.open(charge);
    expect(gist((await crowd[0]) ?? expect.unreachable())).toBe('ok');
  });

  it.each(['well', 'badly'])('RS-05: is not decided by an older call that ends %s', async (way) => {
    const shop = desk(oneTry);
    const old = gate<unknown>();
    const slow = look(shop, () => old.promise);
    await shop.clock.advance(0);
    for (let i = 0; i < 5; i += 1) await look(shop, unavailable);
    await shop.clock.advance(30_000);
    const settle = gate<unknown>();
    const probe = look(shop, () => settle.promise);
    await shop.clock.advance(0);
    const { calls } = health(shop);
    if (way === 'well') old.open(charge);
    else old.fail(coded('ECONNRESET'));
    await slow;
    expect(health(shop)).toMatchObject({ state: 'half-open', calls: calls + 1 });
    expect(gist(await look(shop, found))).toBe('circuit_open, none');
    settle.open(charge);
    expect(gist(await probe)).toBe('ok');
  });

  it('RS-07: restores full health; who breaks again soon stays away longer', async () => {
    const shop = await broken();
    await shop.clock.advance(30_000);
    for (let i = 0; i < 2; i += 1) await look(shop, found);
    for (let i = 0; i < 4; i += 1) await look(shop, unavailable);
    expect(health(shop)).toMatchObject({ state: 'closed', consecutive: 4 });
    await look(shop, unavailable);
    expect(failureOf(await look(shop, found)).details).toMatchObject({ retryAfterMs: 60_000 });
  });
});

describe('the cool-down of a broken tool', () => {
  it('RS-12: needs no timer: it is over when somebody looks, however long nobody did', async () => {
    const shop = await broken();
    expect(shop.clock.pending()).toBe(0);
    // A second has passed since it broke.
    await shop.clock.advance(28_999);
    expect(health(shop).state).toBe('open');
    await shop.clock.advance(1);
    expect(health(shop).state).toBe('half-open');
    await shop.clock.advance(86_400_000);
    expect(gist(await look(shop, found))).toBe('ok');
  });
});

describe('what is no sickness of the service', () => {
  it('RS-10: a deadline of the run that is over; a time limit of the tool is one', async () => {
    const shop = desk(oneTry);
    for (let i = 0; i < 10; i += 1) {
      const callId = `c${i}`;
      const answer = shop.guard.inRun({ intentId: callId, limits: { deadline: '100ms' } }, () =>
        shop.guard.call({ tool: 'find_charge', args: { orderId: 'o' }, callId }, never),
      );
      expect(failureOf(await shop.after(100, answer))).toMatchObject({
        kind: 'timed_out',
        details: { limit: 'run' },
      });
    }
    expect(health(shop)).toMatchObject({ state: 'closed', calls: 0 });
    // One that was too short from the start is not even sent.
    const short = await shop.guard.inRun({ intentId: 'short', limits: { deadline: '100ms' } }, () =>
      shop.guard.call({ tool: 'get_order', args: { orderId: 'o' }, callId: 'c' }, never),
    );
    expect(gist(short)).toBe('deadline_exceeded, none');
    expect(shop.guard.breakers.health('get_order')?.calls ?? 0).toBe(0);

    for (let i = 0; i < 5; i += 1) {
      const answer = shop.run(
        () =>
          shop.guard.call({ tool: 'get_order', args: { orderId: 'o' }, callId: `t${i}` }, never),
        `t${i}`,
      );
      expect(failureOf(await shop.after(1_000, answer)).details).toMatchObject({ limit: 'tool' });
    }
    expect(shop.guard.breakers.health('get_order')?.state).toBe('open');
  });

  it('RS-11: a refusal of our own, on its way through a call around it', async () => {
    const shop = await broken({ settings: { attempts: 3 } });
    const retries = shop.guard.counts().retry_scheduled;
    for (let i = 0; i < 20; i += 1) {
      const outer = await shop.run(
        () =>
          shop.guard.call(
            { tool: 'get_order', args: { orderId: `o${i}` }, callId: 'outer' },
            async () => {
              const inner = await look(shop, found);
              throw inner.ok ? expect.unreachable() : new GuardError(inner.failure);
            },
          ),
        `outer ${i}`,
      );
      expect(gist(outer)).toBe('dependency_failed, none');
    }
    expect(shop.guard.breakers.health('get_order')).toMatchObject({ state: 'closed', calls: 0 });
    expect(shop.guard.counts().retry_scheduled).toBe(retries);
  });

  it('RS-31: a limit stops the whole group until its reset, and no other; one overload stops nobody', async () => {
    const shop = desk(oneTry);
    await look(shop, limited('600'));
    const call = (tool: 'get_order' | 'send_mail', args: object) =>
      shop.run(
        () =>
          shop.guard.call({ tool, args, callId: 'c' }, async () => ({ orderId: 'o', slot: 's' })),
        tool,
      );
    expect(failureOf(await call('get_order', { orderId: 'o' }))).toMatchObject({
      kind: 'circuit_open',
      details: { scope: 'group', retryAfterMs: 600_000 },
    });
    expect(gist(await call('send_mail', { to: 'A', subject: 's' }))).toBe('ok');

    const other = desk(oneTry);
    await look(other, async () => {
      throw Object.assign(new Error('overloaded'), { status: 529 });
    });
    expect(gist(await look(other, found))).toBe('ok');
  });
});

describe('times that a service names', () => {
  it('RS-15: the latest counts, in whatever order they come', async () => {
    const shop = desk(oneTry);
    await Promise.all(['400', '3600', '500'].map((seconds) => look(shop, limited(seconds))));
    expect(failureOf(await look(shop, found)).details).toMatchObject({
      scope: 'group',
      retryAfterMs: 3_600_000,
    });
  });

  it('RS-29: hours away are probed at doubled intervals where that is wanted, else waited for', async () => {
    const waits = async (options: Parameters<typeof desk>[0]): Promise<readonly unknown[]> => {
      const shop = desk({ ...oneTry, ...options });
      const seen: unknown[] = [];
      await look(shop, limited('14400'));
      for (let i = 0; i < 3; i += 1) {
        const { details } = failureOf(await look(shop, found));
        const waitMs = 'retryAfterMs' in details ? (details.retryAfterMs ?? 0) : 0;
        seen.push(waitMs);
        await shop.clock.advance(waitMs);
        await look(shop, limited('14400'));
      }
      return seen;
    };
    expect(await waits({ probesInLongWaits: 'doubling' })).toEqual([30_000, 60_000, 120_000]);
    expect(await waits({})).toEqual([14_400_000, 14_400_000, 14_400_000]);
  });
});

describe('an outage', () => {
  it('RS-17: is met with a share of retries, and leaves none of them used up', async () => {
    const shop = desk({ settings: { breakerFailures: 1_000, breakerConsecutive: 1_000 } });
    /** How often 600 calls are sent. */
    const sentOf600 = async (work: Work): Promise<number> => {
      let sent = 0;
      const counted: Work = () => {
        sent += 1;
        return work();
      };
      const all = Array.from({ length: 600 }, () => look(shop, counted));
      await shop.after(1_000, Promise.all(all));
      return sent;
    };
    // A fifth of the calls, and the floor.
    expect(await sentOf600(unavailable)).toBe(600 + 120 + 10);

    shop.guard.breakers.reset('find_charge');
    await shop.clock.advance(10_000);
    expect(await sentOf600(found)).toBe(600);
    // Nothing of the outage is owed any more: the successes have given their share, too.
    expect(await sentOf600(unavailable)).toBe(600 + 240 + 10);
  });
});

describe('the tries of a call under a deadline', () => {
  it('RS-22: share what is left of it, and none begins that cannot end in time', async () => {
    const shop = desk();
    const started: number[] = [];
    const answer = shop.guard.inRun({ intentId: 'i1', limits: { deadline: '1700ms' } }, () =>
      shop.guard.call({ tool: 'get_order', args: { orderId: 'o' }, callId: 'c' }, () => {
        started.push(shop.clock.monotonicMs());
        return never();
      }),
    );
    const failure = failureOf(await shop.after(1_700, answer));
    expect(failure).toMatchObject({ kind: 'timed_out', attempts: 2 });
    expect(started).toEqual([0, 1_125]);
    // Its own limit first, then what is left.
    expect(shop.events.of('attempt_started').map(({ timeoutMs }) => timeoutMs)).toEqual([
      1_000, 575,
    ]);
    expect(shop.clock.pending()).toBe(0);
  });

  it('RS-22: a wait that does not fit is not begun', async () => {
    const shop = desk();
    const answer = await shop.guard.inRun({ intentId: 'i1', limits: { deadline: '5s' } }, () =>
      shop.guard.call(
        { tool: 'get_order', args: { orderId: 'o' }, callId: 'c' },
        limited('6') as never,
      ),
    );
    expect(failureOf(answer)).toMatchObject({ kind: 'rate_limited', attempts: 1 });
    expect(shop.clock.monotonicMs()).toBe(0);
  });
});

describe('RS-16: a call inside of one that may be tried again as a whole', () => {
  const nested = (shop: Desk, work: Work) =>
    shop.run(() =>
      shop.guard.call({ tool: 'get_order', args: { orderId: 'o' }, callId: 'outer' }, async () => {
        const inner = await look(shop, work);
        if (!inner.ok) throw new GuardError(inner.failure);
        return { orderId: 'o', slot: 's' };
      }),
    );

  it('is made once for each try around it: four are four requests', async () => {
    const shop = desk({ settings: { attempts: 4 } });
    let hits = 0;
    const answer = nested(shop, () => {
      hits += 1;
      return unavailable();
    });
    expect(gist(await shop.after(10_000, answer))).toBe('dependency_failed, none');
    expect(hits).toBe(4);
    expect(shop.guard.breakers.health('get_order')).toMatchObject({ calls: 0 });
    expect(health(shop)).toMatchObject({ calls: 4, failures: 4 });
  });

  it('hands on the wait that it was asked for', async () => {
    const shop = desk();
    const at: number[] = [];
    const answer = nested(shop, () => {
      at.push(shop.clock.monotonicMs());
      return at.length === 1 ? limited('2')() : found();
    });
    expect(gist(await shop.after(3_000, answer))).toBe('ok');
    expect(at).toEqual([0, 2_000]);
  });

  it('closes its own way for a longer one, and not that of the call around it', async () => {
    const shop = desk();
    const answer = await nested(shop, limited('3600'));
    expect(failureOf(answer)).toMatchObject({ kind: 'dependency_failed', attempts: 1 });
    expect(failureOf(await look(shop, found)).kind).toBe('circuit_open');
    expect(shop.guard.breakers.health('get_order')?.state).toBe('closed');
  });
});

describe('RS-23: an irreversible call', () => {
  it('is tried again where nothing was sent, and nowhere else', async () => {
    const shop = desk();
    const errors = [coded('ECONNRESET')];
    let sent = 0;
    const mail = (callId: string) =>
      shop.run(() =>
        shop.guard.call(
          { tool: 'send_mail', args: { to: callId, subject: 's' }, callId },
          async () => {
            if (errors.length === 1) throw coded('ECONNREFUSED');
            sent += 1;
            return 'sent';
          },
        ),
      );
    const answer = mail('c1');
    await shop.clock.advance(0);
    errors.push(coded('ECONNRESET'));
    expect(gist(await shop.after(1_000, answer))).toBe('ok');
    expect(sent).toBe(1);
    expect(shop.guard.counts().attempt_started).toBe(2);
  });
});
