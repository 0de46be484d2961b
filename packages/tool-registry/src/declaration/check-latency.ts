import { parseDuration } from '../duration.js';
import { longestAttemptMs } from '../latency.js';
import { checkDuration, checkNumber, type Report, settingsOf, show } from './settings.js';

const isoDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/;

function checkMeasured(
  profile: Readonly<Record<string, unknown>>,
  field: string,
  report: Report,
): void {
  const { p50, p95, p99, samples, measuredAt } = profile;
  for (const [name, value] of Object.entries({ p50, p95, p99 })) {
    checkNumber(value, `${field}.${name}`, { min: 0, max: longestAttemptMs }, report);
  }
  const whole = { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true };
  checkNumber(samples, `${field}.samples`, whole, report);
  if (
    typeof measuredAt !== 'string' ||
    !isoDate.test(measuredAt) ||
    Number.isNaN(Date.parse(measuredAt))
  ) {
    const reason =
      measuredAt === undefined ? 'it is missing' : `${show(measuredAt)} is not an ISO date`;
    report(`${field}.measuredAt`, reason, "give a date such as '2026-11-02'");
  }
  if (typeof p50 !== 'number' || typeof p95 !== 'number' || typeof p99 !== 'number') return;
  if (p50 > p95 || p95 > p99) {
    const reason = `p50 ≤ p95 ≤ p99 does not hold for ${p50}, ${p95}, ${p99}`;
    report(field, reason, 'give the percentiles in this order, in milliseconds');
  }
}

/** A latency profile, measured or assumed. */
export function checkLatency(value: unknown, field: string, report: Report): void {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : '';
  const known =
    kind === 'assumed'
      ? ['kind', 'ceilingMs']
      : ['kind', 'p50', 'p95', 'p99', 'samples', 'measuredAt'];
  if (kind !== 'assumed' && kind !== 'measured') {
    report(field, `${show(value)} is not a latency profile`, 'give measured({ … }) or assumed(ms)');
    return;
  }
  const profile = settingsOf(value, field, known, report);
  if (profile === undefined) return;
  if (kind === 'measured') checkMeasured(profile, field, report);
  else {
    checkNumber(profile.ceilingMs, `${field}.ceilingMs`, { min: 1, max: longestAttemptMs }, report);
  }
}

export function checkTimeouts(value: unknown, field: string, report: Report): void {
  const timeouts = settingsOf(value, field, ['firstByte', 'idle', 'total'], report);
  if (timeouts === undefined) return;
  const { total } = timeouts;
  const range = { minMs: 1, maxMs: longestAttemptMs };
  if (total !== undefined) checkDuration(total, `${field}.total`, range, report);
  for (const part of ['firstByte', 'idle']) {
    const value = timeouts[part];
    if (value === undefined) continue;
    checkDuration(value, `${field}.${part}`, range, report);
    if (!isLonger(value, total)) continue;
    const reason = `${show(value)} is longer than the total of ${show(total)}`;
    report(`${field}.${part}`, reason, 'give at most the total');
  }
}

function isLonger(part: unknown, total: unknown): boolean {
  const [partly, whole] = [parseDuration(part), parseDuration(total)];
  return 'ms' in partly && 'ms' in whole && partly.ms > whole.ms;
}

/** A read asked in a closer rhythm than this is a busy loop. */
const shortestPollingMs = 100;

/** How often a read is asked again on purpose. */
export function checkPolling(
  value: unknown,
  field: string,
  effectClass: string | undefined,
  report: Report,
): void {
  checkDuration(value, field, { minMs: shortestPollingMs }, report);
  if (effectClass === undefined || effectClass === 'read') return;
  const reason = `only a read may be asked again and again, and this is ${show(effectClass)}`;
  report(field, reason, 'remove it, or declare the read');
}
