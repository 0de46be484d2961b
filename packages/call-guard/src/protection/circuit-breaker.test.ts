import { beforeEach, describe, expect, it } from 'vitest';
import {
  attempt,
  LEASE_MS,
  MIDNIGHT,
  settings,
  slotOf,
  steps,
  twoClocks,
} from './breaker.fixture.js';
import {
  type BreakerChange,
  type BreakerSettings,
  CircuitBreaker,
  type Sample,
} from './circuit-breaker.js';

let clock = twoClocks();
let changes: BreakerChange[] = [];
const breakerWith = (changed: Partial<BreakerSettings> = {}): CircuitBreaker =>
  new CircuitBreaker({ ...settings, ...changed }, clock, (change) => changes.push(change));
const opened = (): CircuitBreaker => {
  const breaker = breakerWith();
  attempt(breaker, 'failure', 5);
  return breaker;
};
/** With its cool-down over. */
const halfOpen = (): CircuitBreaker => {
  const breaker = opened();
  clock.pass(30_000);
  return breaker;
};
/** How long it is shut from now on, to the millisecond. */
const shutForMs = (breaker: CircuitBreaker): number => {
  const admission = breaker.admit(LEASE_MS);
  return admission.admitted ? 0 : admission.retryAfterMs;
};

beforeEach(() => {
  clock = twoClocks();
  changes = [];
});

describe('a closed breaker', () => {
  it('that was never called has nothing to tell', () => {
    expect(breakerWith().snapshot()).toStrictEqual({
      state: 'closed',
      calls: 0,
      failures: 0,
      samples: 0,
      consecutive: 0,
    });
  });

  it('tells of a change until when it is open, and of no other', () => {
    const breaker = opened();
    clock.pass(30_000);
    attempt(breaker, 'success', 2);
    breaker.open();
    expect(changes.map((change) => ['untilMs' in change, change.to])).toEqual([
      [true, 'open'],
      [false, 'half-open'],
      [false, 'closed'],
      [false, 'open'],
    ]);
  });

  it('opens at consecutive failures, and says the counts that caused it and until when', () => {
    const breaker = breakerWith();
    attempt(breaker, 'success', 100);
    attempt(breaker, 'failure', 4);
    expect(breaker.state).toBe('closed');
    attempt(breaker, 'failure');
    expect(changes).toEqual([
      {
        from: 'closed',
        to: 'open',
        cause: 'consecutive_failures',
        failures: 5,
        calls: 105,
        consecutive: 5,
        untilMs: MIDNIGHT + 30_000,
      },
    ]);
    clock.pass(10_000);
    expect(breaker.admit(LEASE_MS)).toEqual({
      admitted: false,
      sinceMs: MIDNIGHT,
      retryAfterMs: 20_000,
      state: 'open',
    });
  });

  it.each<[string, Partial<BreakerSettings>, string, 'open' | 'closed']>([
    ['count, rate and volume are reached', {}, 'sfsfsfsfsf', 'open'],
    ['the volume is not', {}, 'fsfsfsfsf', 'closed'],
    ['the rate is not', {}, 'ssfsfsfsfsf', 'closed'],
    ['the count is not', { failures: 6 }, 'sfsfsfsfsf', 'closed'],
    ['many calls succeed and few fail', {}, 'sssssssssf'.repeat(50), 'closed'],
    ['the volume is reached by a success', {}, 'ffsffsffss', 'closed'],
    ['a failure follows that', {}, 'ffsffsffssf', 'open'],
  ])('judges the window: %s', (_name, changed, samples, state) => {
    const breaker = breakerWith(changed);
    for (const letter of samples) attempt(breaker, letter === 'f' ? 'failure' : 'success');
    expect(breaker.state).toBe(state);
    expect(steps(changes)).toEqual(state === 'open' ? ['closed > open: failure_rate'] : []);
  });

  it('forgets failures that left the window, but not the consecutive ones', () => {
    const breaker = breakerWith();
    for (let i = 0; i < 10; i += 1) {
      attempt(breaker, 'success');
      attempt(breaker, 'failure');
      clock.pass(20_000);
    }
    for (let i = 0; i < 4; i += 1) {
      expect(breaker.state).toBe('closed');
      clock.pass(3_600_000);
      attempt(breaker, 'failure');
    }
    expect(steps(changes)).toEqual(['closed > open: consecutive_failures']);
  });

  it.each([
    'RS-08: a 4xx, which is the fault of the caller',
    'RS-10: the cancel of a caller, or a deadline too short from the start',
    'RS-11: a refusal of our own',
  ])('%s, is neutral: neither opens it nor resets the count', () => {
    const breaker = breakerWith();
    attempt(breaker, 'failure', 4);
    attempt(breaker, 'neutral', 20);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', calls: 4, consecutive: 4 });
    attempt(breaker, 'failure');
    expect(breaker.state).toBe('open');
  });

  it('counts an attempt once, whatever its slot is told later', () => {
    const breaker = breakerWith();
    const slot = slotOf(breaker.admit(LEASE_MS));
    const later: readonly Sample[] = ['failure', 'failure', 'success', 'neutral', 'failure'];
    for (const sample of later) slot.record(sample);
    expect(breaker.snapshot()).toMatchObject({ calls: 1, failures: 1, consecutive: 1 });
  });
});

describe('from open to half-open', () => {
  it('RS-12: needs no timer, and shows its state as soon as it could probe', () => {
    const breaker = opened();
    clock.pass(29_999);
    expect(breaker.state).toBe('open');
    clock.pass(1);
    expect(breaker.state).toBe('half-open');
    expect(breaker.snapshot()).toMatchObject({ state: 'half-open', sinceMs: MIDNIGHT });
    expect(breaker.admit(LEASE_MS).admitted).toBe(true);
    expect(steps(changes).at(-1)).toBe('open > half-open: cool_down_over');
  });

  it('RS-15: the latest time that was named wins, never the last', () => {
    const breaker = breakerWith();
    for (const seconds of [1, 60, 5]) {
      breaker.openFor(seconds * 1_000, 'rate_limited');
      clock.pass(3);
    }
    expect(shutForMs(breaker)).toBe(59_994);
  });

  it('waits for its cool-down and for the time that the server named, whichever ends later', () => {
    const breaker = opened();
    breaker.openFor(10_000, 'rate_limited');
    expect(shutForMs(breaker)).toBe(30_000);
    breaker.openFor(45_000, 'rate_limited');
    expect(shutForMs(breaker)).toBe(45_000);
    expect(breaker.snapshot().untilMs).toBe(MIDNIGHT + 45_000);
  });

  it('opens at once on the word of the server, half-open too, for a day at most', () => {
    const breaker = breakerWith();
    breaker.openFor(5_000, 'rate_limited');
    expect(changes.at(-1)).toMatchObject({ cause: 'rate_limited', untilMs: MIDNIGHT + 5_000 });
    clock.pass(5_000);
    breaker.openFor(Number.POSITIVE_INFINITY, 'rate_limited');
    expect(steps(changes).slice(1)).toEqual([
      'open > half-open: cool_down_over',
      'half-open > open: rate_limited',
    ]);
    expect(shutForMs(breaker)).toBe(86_400_000);
  });

  it.each([0, -1, Number.NaN])('takes %d ms as nothing said', (ms) => {
    const breaker = breakerWith();
    breaker.openFor(ms, 'rate_limited');
    expect(breaker.state).toBe('closed');
  });

  it('RS-29: a reset hours away is probed at doubled intervals where the server lets calls through', () => {
    const breaker = breakerWith();
    const waits: number[] = [];
    breaker.openFor(4 * 3_600_000, 'usage_limit', 'doubling');
    for (let i = 0; i < 7; i += 1) {
      waits.push(shutForMs(breaker));
      clock.pass(shutForMs(breaker));
      attempt(breaker, 'failure');
      // Each refusal names the same reset again.
      breaker.openFor(4 * 3_600_000 - clock.monotonic, 'usage_limit', 'doubling');
    }
    expect(waits.map((ms) => ms / 1_000)).toEqual([30, 60, 120, 240, 480, 600, 600]);
    expect(breaker.snapshot().sinceMs).toBe(MIDNIGHT);
  });

  it('RS-29: such waits are a quarter of the named time at most, and end with it', () => {
    const breaker = breakerWith();
    breaker.openFor(80_000, 'usage_limit', 'doubling');
    expect(shutForMs(breaker)).toBe(20_000);
    clock.pass(70_000);
    attempt(breaker, 'failure');
    expect(shutForMs(breaker)).toBe(10_000);
    clock.pass(10_000);
    attempt(breaker, 'failure');
    expect(shutForMs(breaker)).toBe(120_000);
  });

  it('RS-29: the latest named time bounds them, until the dependency is back', () => {
    const breaker = breakerWith();
    breaker.openFor(80_000, 'usage_limit', 'doubling');
    breaker.openFor(8_000, 'usage_limit', 'doubling');
    clock.pass(20_000);
    attempt(breaker, 'failure');
    expect(shutForMs(breaker)).toBe(20_000);
    clock.pass(20_000);
    attempt(breaker, 'success', 2);
    attempt(breaker, 'failure', 5);
    expect(shutForMs(breaker)).toBe(120_000);
  });

  it('RS-29: by default the named time is waited for', () => {
    const breaker = breakerWith();
    breaker.openFor(4 * 3_600_000, 'usage_limit');
    breaker.openFor(6 * 3_600_000, 'usage_limit', 'doubling');
    expect(shutForMs(breaker)).toBe(4 * 3_600_000);
  });
});

describe('a half-open breaker', () => {
  it('RS-03: lets one call through and refuses the others at once', () => {
    const breaker = halfOpen();
    const admissions = Array.from({ length: 50 }, () => breaker.admit(LEASE_MS));
    expect(admissions.filter(({ admitted }) => admitted)).toHaveLength(1);
    expect(admissions.at(-1)).toEqual({
      admitted: false,
      sinceMs: MIDNIGHT,
      retryAfterMs: LEASE_MS,
      state: 'half-open',
    });
  });

  it('closes after two successes, one after the other', () => {
    const breaker = halfOpen();
    attempt(breaker, 'success');
    expect(breaker.state).toBe('half-open');
    attempt(breaker, 'success');
    expect(breaker.state).toBe('closed');
    expect(steps(changes).at(-1)).toBe('half-open > closed: probes_succeeded');
  });

  it('opens again at one failure, a success before it or not, for twice as long each time up to the cap', () => {
    const breaker = halfOpen();
    const waits: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      attempt(breaker, 'success');
      attempt(breaker, 'failure');
      waits.push(shutForMs(breaker) / 1_000);
      clock.pass(shutForMs(breaker));
    }
    expect(waits).toEqual([60, 120, 240, 480, 600, 600, 600]);
    expect(steps(changes).at(-1)).toBe('half-open > open: probe_failed');
  });

  it('RS-01: takes the slot back from a probe that never ends, as a failed probe of that moment', () => {
    const breaker = halfOpen();
    const lost = slotOf(breaker.admit(LEASE_MS));
    clock.pass(LEASE_MS - 1);
    expect(breaker.state).toBe('half-open');
    clock.pass(1 + 20_000);
    expect(shutForMs(breaker)).toBe(40_000);
    expect(changes.at(-1)).toMatchObject({
      cause: 'probe_lost',
      untilMs: MIDNIGHT + 30_000 + LEASE_MS + 60_000,
    });
    clock.pass(40_000);
    const probe = breaker.admit(LEASE_MS);
    expect(probe.admitted).toBe(true);
    // The late result is remembered; it neither frees the slot of the new probe nor decides anything.
    lost.record('success', 7);
    expect(breaker.admit(LEASE_MS).admitted).toBe(false);
    slotOf(probe).record('success');
    expect(breaker.state).toBe('half-open');
  });

  it('RS-01: a probe and its reopening may both lie in the past when somebody looks', () => {
    const breaker = halfOpen();
    breaker.admit(LEASE_MS);
    clock.pass(LEASE_MS + 60_000);
    expect(breaker.admit(LEASE_MS).admitted).toBe(true);
    expect(steps(changes).slice(-2)).toEqual([
      'half-open > open: probe_lost',
      'open > half-open: cool_down_over',
    ]);
  });

  it.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY, 10 ** 9])(
    'leases the slot for the cap of the cool-down at most, also when it is asked for %d ms',
    (leaseMs) => {
      const breaker = halfOpen();
      expect(breaker.admit(leaseMs).admitted).toBe(true);
      expect(shutForMs(breaker)).toBe(600_000);
    },
  );

  it('RS-02: a cancelled probe gives the slot back, and nothing else changes', () => {
    const breaker = halfOpen();
    attempt(breaker, 'success');
    attempt(breaker, 'neutral', 3);
    expect(breaker.state).toBe('half-open');
    attempt(breaker, 'success');
    expect(breaker.state).toBe('closed');
  });

  it.each<Sample>(['success', 'failure', 'neutral'])(
    'RS-05: a late %s of a call admitted while closed decides nothing, but is remembered',
    (sample) => {
      const breaker = breakerWith();
      const slow = slotOf(breaker.admit(LEASE_MS));
      attempt(breaker, 'failure', 5);
      clock.pass(30_000);
      const probe = slotOf(breaker.admit(LEASE_MS));
      const before = breaker.snapshot();
      slow.record(sample, 42);
      expect(breaker.snapshot()).toMatchObject({
        state: 'half-open',
        consecutive: before.consecutive,
        calls: before.calls + (sample === 'neutral' ? 0 : 1),
        failures: before.failures + (sample === 'failure' ? 1 : 0),
      });
      expect(breaker.snapshot().p95Ms).toBe(sample === 'success' ? 43.875 : undefined);
      expect(breaker.admit(LEASE_MS).admitted).toBe(false);
      probe.record('success');
      attempt(breaker, 'success');
      expect(breaker.state).toBe('closed');
    },
  );

  it('refuses a call that must not probe, and keeps the slot for one that may', () => {
    const breaker = halfOpen();
    expect(breaker.admit(LEASE_MS, false)).toMatchObject({
      state: 'half-open',
      retryAfterMs: settings.coolDownMs,
    });
    expect(breaker.admit(LEASE_MS, true).admitted).toBe(true);
  });
});

describe('a breaker that closed again', () => {
  const closedAgain = (): CircuitBreaker => {
    const breaker = halfOpen();
    attempt(breaker, 'success', 2);
    return breaker;
  };

  it('RS-07: starts with empty windows and no consecutive failures', () => {
    const breaker = closedAgain();
    attempt(breaker, 'failure', 4);
    expect(breaker.state).toBe('closed');
    attempt(breaker, 'failure');
    expect(changes.at(-1)).toMatchObject({ failures: 5, calls: 5, consecutive: 5 });
  });

  it('RS-07: stays open longer when it opens again soon, and not after a stable period', () => {
    const breaker = closedAgain();
    clock.pass(59_999);
    attempt(breaker, 'failure', 5);
    expect(shutForMs(breaker)).toBe(60_000);
    clock.pass(60_000);
    attempt(breaker, 'success', 2);
    clock.pass(60_000);
    attempt(breaker, 'failure', 5);
    expect(shutForMs(breaker)).toBe(30_000);
  });

  it('ignores results of the closed period before', () => {
    const breaker = breakerWith();
    const slow = Array.from({ length: 10 }, () => slotOf(breaker.admit(LEASE_MS)));
    attempt(breaker, 'failure', 5);
    clock.pass(30_000);
    attempt(breaker, 'success', 2);
    for (const slot of slow) slot.record('failure');
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', consecutive: 0, failures: 15 });
  });

  it('still knows how it was: success rate, last opening, p95 of what succeeded', () => {
    const breaker = breakerWith();
    for (let ms = 1; ms <= 8; ms += 1) slotOf(breaker.admit(LEASE_MS)).record('success', ms / 8);
    clock.pass(1_000);
    slotOf(breaker.admit(LEASE_MS)).record('failure', 9_999);
    attempt(breaker, 'failure', 4);
    clock.pass(30_000);
    attempt(breaker, 'success', 2);
    expect(breaker.snapshot()).toEqual({
      state: 'closed',
      calls: 15,
      failures: 5,
      consecutive: 0,
      successRate: 10 / 15,
      lastOpenedAt: MIDNIGHT + 1_000,
      p95Ms: 1,
      p99Ms: 1,
      samples: 8,
    });
    clock.pass(60_000);
    expect(breaker.snapshot()).not.toHaveProperty('successRate');
  });
});

describe('a breaker opened by hand', () => {
  it('admits nothing until it is reset, whatever time passes and whatever servers say', () => {
    const breaker = breakerWith();
    breaker.open();
    breaker.open();
    breaker.openFor(1_000, 'rate_limited');
    clock.pass(10 ** 9);
    expect(breaker.admit(LEASE_MS)).toEqual({
      admitted: false,
      sinceMs: MIDNIGHT,
      retryAfterMs: 86_400_000,
      state: 'manual',
    });
    expect(breaker.snapshot()).not.toHaveProperty('untilMs');
    breaker.reset();
    expect(breaker.admit(LEASE_MS).admitted).toBe(true);
    expect(steps(changes)).toEqual([
      'closed > open: opened_by_hand',
      'open > closed: reset_by_hand',
    ]);
  });

  it('was not closed since it failed, when it had failed before', () => {
    const breaker = opened();
    clock.pass(5_000);
    breaker.open();
    expect(breaker.snapshot()).toMatchObject({ sinceMs: MIDNIGHT, lastOpenedAt: MIDNIGHT });
  });

  it('forgets on reset what was under way, its cool-downs and the server’s word', () => {
    const breaker = breakerWith();
    attempt(breaker, 'failure', 4);
    const slow = slotOf(breaker.admit(LEASE_MS));
    breaker.reset();
    slow.record('failure');
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', consecutive: 0 });
    expect(changes).toEqual([]);
    breaker.openFor(3_600_000, 'usage_limit', 'doubling');
    breaker.reset();
    attempt(breaker, 'failure', 5);
    expect(shutForMs(breaker)).toBe(30_000);
  });
});

describe('clocks that jump', () => {
  it.each([-3_600_000, 3_600_000])('the wall clock by %d ms changes no decision', (stepMs) => {
    const breaker = opened();
    clock.wall += stepMs;
    expect(shutForMs(breaker)).toBe(30_000);
    expect(breaker.snapshot()).toMatchObject({ untilMs: MIDNIGHT + stepMs + 30_000 });
    clock.pass(30_000);
    expect(breaker.state).toBe('half-open');
  });

  it('a monotonic clock that goes back or shows no number stands still', () => {
    clock.pass(100_000);
    const breaker = opened();
    clock.monotonic = 5;
    expect(shutForMs(breaker)).toBe(30_000);
    attempt(breakerWith(), 'failure', 5);
    clock.monotonic = Number.NaN;
    expect(shutForMs(breaker)).toBe(30_000);
    clock.monotonic = 130_000;
    expect(breaker.state).toBe('half-open');
  });
});
