import { describe, expect, it } from 'vitest';
import { desk } from '../order-tools.fixture.js';
import { ProfileDrift } from './profile-drift.js';

const measured = {
  name: 'look',
  latency: {
    kind: 'measured' as const,
    p50: 10,
    p95: 50,
    p99: 100,
    samples: 500,
    measuredAt: '2026-01-01',
  },
};
const drift = () => new ProfileDrift({ profileDrift: 2, profileSamples: 30 });
const lookOften = (at: ProfileDrift, times: number, p99Ms: number) =>
  Array.from({ length: times }, () => at.look(measured, () => p99Ms)).filter(
    (found) => found !== undefined,
  );

describe('a latency profile', () => {
  it('has drifted when the observed p99 is over twice the declared one, and that is told once', () => {
    const at = drift();
    expect(lookOften(at, 29, 201)).toEqual([]);
    expect(lookOften(at, 100, 201)).toEqual([{ observedMs: 201, declaredMs: 100 }]);
    expect(lookOften(drift(), 100, 200)).toEqual([]);
  });

  it('that nobody measured cannot drift', () => {
    const assumed = { name: 'look', latency: { kind: 'assumed' as const, ceilingMs: 1 } };
    expect(drift().look(assumed, () => 9_999)).toBeUndefined();
  });

  it('is watched by the guard', async () => {
    const { guard, run, clock, events } = desk({ settings: { profileSamples: 10 } });
    for (let i = 0; i < 10; i += 1) {
      const args = { orderId: `o${i}` };
      const answer = run(() =>
        guard.call({ tool: 'get_order', args, callId: `c${i}` }, async () => {
          await clock.sleep(900);
          return { ...args, slot: 'A' };
        }),
      );
      await clock.advance(900);
      expect((await answer).ok).toBe(true);
    }
    expect(events.of('warning')).toMatchObject([
      { code: 'profile_drifted', tool: 'get_order', message: expect.stringContaining('400 ms') },
    ]);
  });
});
