import { beforeEach, describe, expect, it } from 'vitest';
import { LEASE_MS, MIDNIGHT, settings, steps, twoClocks } from './breaker.fixture.js';
import { type BreakerName, type BreakerRequest, Breakers, type Permit } from './breakers.js';
import type { BreakerChange } from './circuit-breaker.js';

let clock = twoClocks();
let changes: (BreakerName & BreakerChange)[] = [];
let breakers: Breakers;

beforeEach(() => {
  clock = twoClocks();
  changes = [];
  breakers = new Breakers(
    settings,
    clock,
    (of, change) => changes.push({ ...of, ...change }),
    (group) => group === 'orders',
  );
});

const request = (tool: string, changed: Partial<BreakerRequest> = {}): BreakerRequest => ({
  tool,
  group: 'orders',
  class: 'read',
  leaseMs: LEASE_MS,
  ...changed,
});
const permitFor = (tool: string, changed: Partial<BreakerRequest> = {}): Permit => {
  const permit = breakers.admit(request(tool, changed));
  if (!permit.admitted) throw new Error(`refused by ${permit.scope} ${permit.name}`);
  return permit;
};
const breakTool = (tool: string, changed: Partial<BreakerRequest> = {}): void => {
  for (let i = 0; i < 5; i += 1) permitFor(tool, changed).record('failure', 'tool');
};
/** Ten timeouts, of ten tools, so that no tool is broken. */
const breakGroup = (): void => {
  for (let i = 0; i < 10; i += 1) permitFor(`tool_${i}`).record('failure', 'group');
};

describe('the breakers of tools and groups', () => {
  it('RS-54: each breaker of a chain is updated by its own attempt, once', () => {
    for (const tool of ['a', 'b', 'c']) {
      const permit = permitFor(tool);
      permit.record('failure', 'group');
      permit.record('failure', 'group');
      permit.record('success', 'tool');
    }
    const counted = breakers
      .snapshot()
      .map(({ scope, name, calls, failures }) => [scope, name, calls, failures]);
    expect(counted).toEqual([
      ['tool', 'a', 1, 1],
      ['tool', 'b', 1, 1],
      ['tool', 'c', 1, 1],
      ['group', 'orders', 3, 3],
    ]);
  });

  it('a failure of the tool alone is none of its group', () => {
    breakTool('find_order');
    expect(breakers.admit(request('find_order'))).toEqual({
      admitted: false,
      scope: 'tool',
      name: 'find_order',
      sinceMs: MIDNIGHT,
      retryAfterMs: 30_000,
      state: 'open',
    });
    expect(breakers.health('orders', 'group')).toMatchObject({ state: 'closed', calls: 0 });
    permitFor('list_orders').record('success', 'tool', 20);
    expect(breakers.health('orders', 'group')).toMatchObject({ calls: 1, p95Ms: 21.875 });
  });

  it('alternating between two broken tools does not dilute the failures of either', () => {
    for (let i = 0; i < 5; i += 1) {
      permitFor('a').record('failure', 'tool');
      permitFor('b').record('failure', 'tool');
      permitFor('c').record('success', 'tool');
    }
    expect(['a', 'b', 'c'].map((tool) => breakers.health(tool)?.state)).toEqual([
      'open',
      'open',
      'closed',
    ]);
  });

  it('a group that cannot be reached stops all its tools', () => {
    breakGroup();
    expect(steps(changes)).toEqual(['closed > open: failure_rate']);
    expect(changes[0]).toMatchObject({ scope: 'group', name: 'orders' });
    expect(breakers.admit(request('never_called'))).toMatchObject({
      scope: 'group',
      name: 'orders',
      retryAfterMs: 30_000,
    });
    expect(breakers.admit(request('other', { group: 'mail' })).admitted).toBe(true);
  });

  it('RS-31: one overload stops neither, and the timeouts of one tool do not stop its whole group', () => {
    permitFor('find_order').record('failure', 'group');
    expect(changes).toEqual([]);
    for (let i = 0; i < 4; i += 1) permitFor('find_order').record('failure', 'group');
    expect(changes).toMatchObject([{ scope: 'tool', name: 'find_order' }]);
    expect(breakers.admit(request('list_orders')).admitted).toBe(true);
  });

  it.each(['RS-08: a 4xx', 'RS-10: a cancel', 'RS-11: a refusal of our own'])(
    '%s counts in neither',
    () => {
      for (let i = 0; i < 20; i += 1) permitFor('find_order').record('neutral', 'group');
      expect(breakers.health('find_order')).toMatchObject({ calls: 0, state: 'closed' });
      expect(breakers.health('orders', 'group')).toMatchObject({ calls: 0, state: 'closed' });
    },
  );
});

describe('probing a tool and its group', () => {
  it('RS-03: one call probes both, and a success counts for both', () => {
    breakTool('find_order');
    breakGroup();
    clock.pass(30_000);
    for (let i = 0; i < 2; i += 1) {
      const probe = permitFor('find_order');
      expect(breakers.admit(request('find_order'))).toMatchObject({
        scope: 'tool',
        state: 'half-open',
      });
      expect(breakers.admit(request('tool_1'))).toMatchObject({
        scope: 'group',
        state: 'half-open',
      });
      probe.record('success', 'tool');
    }
    expect(breakers.snapshot().every(({ state }) => state === 'closed')).toBe(true);
  });

  it('gives the slot of the tool back when the group refuses', () => {
    breakTool('find_order');
    clock.pass(20_000);
    breakGroup();
    clock.pass(10_000);
    const before = breakers.health('find_order');
    expect(before?.state).toBe('half-open');
    expect(breakers.admit(request('find_order'))).toMatchObject({ scope: 'group', state: 'open' });
    expect(breakers.health('find_order')).toEqual(before);
    clock.pass(20_000);
    permitFor('find_order').record('success', 'tool');
  });

  it('a failure of the tool alone gives the slot of the group back', () => {
    breakGroup();
    clock.pass(30_000);
    permitFor('tool_1').record('failure', 'tool');
    expect(breakers.health('orders', 'group')?.state).toBe('half-open');
    permitFor('tool_2').record('failure', 'group');
    expect(breakers.health('orders', 'group')?.state).toBe('open');
  });

  it('RS-01: the slots of both come back from a probe that never ends', () => {
    breakTool('find_order');
    breakGroup();
    clock.pass(30_000);
    permitFor('find_order', { leaseMs: undefined });
    clock.pass(599_999);
    expect(breakers.admit(request('find_order')).admitted).toBe(false);
    clock.pass(1 + 60_000);
    expect(breakers.admit(request('find_order')).admitted).toBe(true);
  });

  it('the slot of a probe is held for the time of its attempt', () => {
    breakTool('find_order');
    clock.pass(30_000);
    permitFor('find_order', { leaseMs: 2_000 });
    clock.pass(1_999);
    expect(breakers.health('find_order')?.state).toBe('half-open');
    clock.pass(1);
    expect(breakers.health('find_order')?.state).toBe('open');
  });

  it('no irreversible call probes a group that has a read', () => {
    breakGroup();
    clock.pass(30_000);
    expect(breakers.admit(request('refund', { class: 'irreversible' }))).toMatchObject({
      scope: 'group',
      state: 'half-open',
    });
    permitFor('set_address', { class: 'idempotent-write' }).record('success', 'tool');
    permitFor('tool_1').record('success', 'tool');
    permitFor('refund', { class: 'irreversible' }).record('success', 'tool');
  });

  it('an irreversible call probes its own tool, and a group that has nothing else', () => {
    const refund = { group: 'payments', class: 'irreversible' } as const;
    breakTool('refund', refund);
    breakers.openFor({ scope: 'group', name: 'payments' }, 30_000, 'rate_limited');
    clock.pass(30_000);
    permitFor('refund', refund).record('success', 'tool');
  });
});

describe('what servers and people say of a breaker', () => {
  it('the server stops a group until its reset, and may let probes through before', () => {
    const orders = { scope: 'group', name: 'orders' } as const;
    breakers.openFor(orders, 100_000, 'rate_limited');
    expect(breakers.admit(request('find_order'))).toMatchObject({
      scope: 'group',
      retryAfterMs: 100_000,
    });
    breakers.openFor({ scope: 'tool', name: 'search' }, 3_600_000, 'usage_limit', 'doubling');
    expect(breakers.admit(request('search'))).toMatchObject({
      scope: 'tool',
      retryAfterMs: 30_000,
    });
  });

  it('a tool can be stopped before its first call, and a group too', () => {
    breakers.open('refund');
    breakers.open('mail', 'group');
    expect(breakers.admit(request('refund'))).toMatchObject({ scope: 'tool', state: 'manual' });
    expect(breakers.admit(request('send', { group: 'mail' }))).toMatchObject({ state: 'manual' });
    breakers.reset('refund');
    breakers.reset('mail', 'group');
    expect(breakers.admit(request('refund')).admitted).toBe(true);
    expect(breakers.admit(request('send', { group: 'mail' })).admitted).toBe(true);
  });

  it('names of tools and of groups do not meet, and what was never called is unknown', () => {
    breakers.open('orders');
    expect(breakers.admit(request('find_order')).admitted).toBe(true);
    expect(breakers.health('__proto__')).toBeUndefined();
    breakers.reset('never_called');
    expect(breakers.health('never_called')).toBeUndefined();
  });
});
