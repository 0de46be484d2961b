import type { AnyToolEntry, Latency, Measured } from './tool-entry.js';

/** The longest that one attempt may be allowed: 24 hours, in milliseconds. */
export const longestAttemptMs = 86_400_000;
/** How much longer than its 99th percentile an attempt may take before it is given up. */
const allowanceOverP99 = 1.5;

/**
 * A latency profile from measurements: percentiles in milliseconds with p50 ≤ p95 ≤ p99 ≤ 24 h, the number of samples,
 * and the ISO date of the measurement. `defineTool` checks them.
 *
 * @example measured({ p50: 40, p95: 180, p99: 420, samples: 5200, measuredAt: '2026-11-02' })
 */
export const measured = (profile: Measured): Latency => ({ ...profile, kind: 'measured' });

/**
 * A latency that nobody has measured yet: how long an attempt takes at most, in milliseconds, 1 to 24 h.
 *
 * @example assumed(2_000)
 */
export const assumed = (ceilingMs: number): Latency => ({ kind: 'assumed', ceilingMs });

/**
 * How long one attempt of a tool may take, in whole milliseconds: the declared `timeouts.total`, else the assumed
 * ceiling, else 1.5 × the measured p99 (at most 24 h). `undefined` if the entry says nothing about it.
 */
export function attemptTimeoutMs(
  entry: Pick<AnyToolEntry, 'timeoutMs' | 'latency'>,
): number | undefined {
  if (entry.timeoutMs !== undefined) return entry.timeoutMs;
  if (entry.latency === undefined) return undefined;
  const expected =
    entry.latency.kind === 'assumed'
      ? entry.latency.ceilingMs
      : entry.latency.p99 * allowanceOverP99;
  return Math.min(longestAttemptMs, Math.max(1, Math.ceil(expected)));
}
