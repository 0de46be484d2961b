import { describe, expect, it } from 'vitest';
import { assumed, attemptTimeoutMs, measured } from './index.js';

const profile = measured({ p50: 40, p95: 180, p99: 421, samples: 5200, measuredAt: '2026-11-02' });

describe('the timeout of an attempt', () => {
  it('is the declared one, whatever the latency', () => {
    expect(attemptTimeoutMs({ timeoutMs: 700, latency: profile })).toBe(700);
  });
  it('is else the assumed ceiling', () => {
    expect(attemptTimeoutMs({ latency: assumed(2_000) })).toBe(2_000);
  });
  it('is else one and a half times the measured p99, in whole milliseconds', () => {
    expect(attemptTimeoutMs({ latency: profile })).toBe(632);
  });
  it('is never 0 and never more than 24 hours', () => {
    const at = (p99: number) =>
      attemptTimeoutMs({
        latency: measured({ p50: 0, p95: 0, p99, samples: 1, measuredAt: '2026-11-02' }),
      });
    expect(at(0)).toBe(1);
    expect(at(80_000_000)).toBe(86_400_000);
  });
  it('is unknown without either', () => {
    expect(attemptTimeoutMs({})).toBeUndefined();
  });
});
