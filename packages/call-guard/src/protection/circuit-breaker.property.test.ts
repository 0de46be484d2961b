import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attempt, settings, twoClocks } from './breaker.fixture.js';
import { type BreakerChange, CircuitBreaker, type Sample, type Slot } from './circuit-breaker.js';

type Step =
  | { readonly do: 'admit'; readonly leaseMs: number; readonly mayProbe: boolean }
  | { readonly do: 'record'; readonly which: number; readonly sample: Sample }
  | { readonly do: 'attempt'; readonly sample: Sample }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'jump'; readonly clock: 'monotonic' | 'wall'; readonly ms: number }
  | { readonly do: 'openFor'; readonly ms: number; readonly probes: 'at-reset' | 'doubling' }
  | { readonly do: 'open' | 'reset' | 'look' };

const sample = fc.constantFrom<Sample>('success', 'success', 'failure', 'failure', 'neutral');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('attempt' as const), sample }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('admit' as const),
      leaseMs: fc.integer({ min: 0, max: 200 }),
      mayProbe: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('record' as const), which: fc.nat(4), sample }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.integer({ min: 0, max: 150 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      clock: fc.constantFrom('monotonic' as const, 'wall' as const),
      ms: fc.integer({ min: -500, max: 500 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('openFor' as const),
      ms: fc.integer({ min: -5, max: 300 }),
      probes: fc.constantFrom('at-reset' as const, 'doubling' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom(...(['open', 'reset', 'reset', 'look'] as const)),
    }),
  },
);

const small = {
  ...settings,
  failures: 3,
  minimumVolume: 4,
  consecutive: 3,
  coolDownMs: 50,
  coolDownCapMs: 200,
  stableMs: 300,
};

/** What a test knows of one admission, without looking into the breaker. */
interface Held {
  readonly slot: Slot;
  /** How many changes there had been when it was admitted. */
  readonly generation: number;
  readonly leasedUntil: number;
  isRecorded: boolean;
}

/** A breaker beside a bookkeeping of its own, which checks after each step what must hold. */
function watched() {
  const clock = twoClocks();
  const changes: BreakerChange[] = [];
  const breaker = new CircuitBreaker(small, clock, (change) => changes.push(change));
  const held: Held[] = [];
  let latest = 0;
  let notBefore = 0;
  let isManual = false;
  /** Changes to `closed` by hand of a breaker that was closed are not told; they are a generation too. */
  let silentResets = 0;
  let probeSuccesses = 0;
  const generation = (): number => changes.length + silentResets;
  /** The moment of the next probe on the monotonic clock. */
  const until = (): number => {
    const { state, untilMs } = breaker.snapshot();
    if (untilMs !== undefined) return untilMs - clock.wall + latest;
    return state === 'open' ? Infinity : 0;
  };

  const admit = (leaseMs: number, mayProbe: boolean): boolean => {
    const { state } = breaker;
    const admission = breaker.admit(leaseMs, mayProbe);
    if (!admission.admitted) {
      expect(admission.retryAfterMs).toBeGreaterThan(0);
      expect(admission.retryAfterMs).toBeLessThanOrEqual(86_400_000);
      expect(state).not.toBe('closed');
      return false;
    }
    expect(isManual).toBe(false);
    expect(latest).toBeGreaterThanOrEqual(notBefore);
    expect(state).not.toBe('open');
    if (state === 'half-open') {
      expect(mayProbe).toBe(true);
      const others = held.filter(
        (one) => !one.isRecorded && one.generation === generation() && one.leasedUntil > latest,
      );
      expect(others).toEqual([]);
    }
    held.push({
      slot: admission.slot,
      generation: generation(),
      leasedUntil: latest + (leaseMs === 0 ? small.coolDownCapMs : leaseMs),
      isRecorded: false,
    });
    return true;
  };

  const record = (which: number, sampled: Sample): void => {
    const one = held.at(-1 - which);
    if (one === undefined) return;
    const { state } = breaker;
    const before = generation();
    const counts = !one.isRecorded && one.generation === before && sampled !== 'neutral';
    if (counts && state === 'half-open' && sampled === 'success') probeSuccesses += 1;
    one.slot.record(sampled);
    one.isRecorded = true;
    if (!counts) expect(generation()).toBe(before);
    else if (state === 'half-open' && sampled === 'failure') expect(breaker.state).toBe('open');
  };

  const take = (next: Step): void => {
    switch (next.do) {
      case 'admit':
        admit(next.leaseMs, next.mayProbe);
        return;
      case 'record':
        record(next.which, next.sample);
        return;
      case 'attempt':
        if (admit(100, true)) record(0, next.sample);
        return;
      case 'pass':
        clock.pass(next.ms);
        return;
      case 'jump':
        clock[next.clock] += next.ms;
        return;
      case 'openFor':
        breaker.openFor(next.ms, 'rate_limited', next.probes);
        if (next.ms > 0 && !isManual) {
          expect(breaker.state).toBe('open');
          if (next.probes === 'at-reset') notBefore = Math.max(notBefore, latest + next.ms);
        }
        return;
      case 'open':
        isManual = true;
        breaker.open();
        return;
      case 'reset': {
        const { state } = breaker;
        breaker.reset();
        if (state === 'closed') silentResets += 1;
        isManual = false;
        notBefore = 0;
        return;
      }
      case 'look':
        breaker.snapshot();
    }
  };

  return {
    changes,
    run(next: Step): void {
      latest = Math.max(latest, clock.monotonic);
      const untilBefore = until();
      const seen = changes.length;
      if (breaker.state !== 'half-open') probeSuccesses = 0;
      take(next);
      latest = Math.max(latest, clock.monotonic);
      const untilAfter = until();
      if (seen === changes.length) expect(untilAfter).toBeGreaterThanOrEqual(untilBefore);
      for (const change of changes.slice(seen)) {
        if (change.cause === 'probes_succeeded') {
          expect(probeSuccesses).toBe(small.successesToClose);
        }
        if (change.to !== 'half-open') probeSuccesses = 0;
      }
    },
    /** However it went: when every lease and cool-down is over, a call gets through. */
    end(): void {
      expect(changes.slice(1).map(({ from }) => from)).toEqual(
        changes.slice(0, -1).map(({ to }) => to),
      );
      if (isManual) breaker.reset();
      clock.monotonic = latest + 86_400_000;
      expect(breaker.admit(10).admitted).toBe(true);
    },
  };
}

describe('a circuit breaker under any interleaving', () => {
  it('RS-01: has one slot when half-open, gets it back, closes by probes only, and never opens early', () => {
    const causes = new Set<string>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 120, maxLength: 200 }), (all) => {
        const breaker = watched();
        for (const next of all) breaker.run(next);
        breaker.end();
        for (const { cause } of breaker.changes) causes.add(cause);
      }),
      { seed: 1, numRuns: 60 },
    );
    // Else the steps above would not lead to where something could go wrong.
    expect([...causes].sort()).toEqual([
      'consecutive_failures',
      'cool_down_over',
      'failure_rate',
      'opened_by_hand',
      'probe_failed',
      'probe_lost',
      'probes_succeeded',
      'rate_limited',
      'reset_by_hand',
    ]);
  }, 30_000);

  it('opens at the first failure that fulfills a condition, and not before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Sample>('success', 'failure', 'failure', 'neutral'), {
          maxLength: 40,
        }),
        (samples) => {
          const clock = twoClocks();
          const breaker = new CircuitBreaker({ ...settings, consecutive: 4 }, clock);
          for (const [i, next] of samples.entries()) {
            attempt(breaker, next);
            clock.pass(1);
            const told = samples.slice(0, i + 1).filter((one) => one !== 'neutral');
            const failures = told.filter((one) => one === 'failure').length;
            const isSick =
              next === 'failure' &&
              (told.slice(-4).join() === 'failure,failure,failure,failure' ||
                (failures >= 5 && told.length >= 10 && failures * 2 >= told.length));
            expect(breaker.state).toBe(isSick ? 'open' : 'closed');
            if (isSick) return;
          }
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });
});
