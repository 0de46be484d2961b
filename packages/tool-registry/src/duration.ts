import { SetupError } from './setup-error.js';

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof unitsMs;

/** A number of milliseconds, or a number with its unit: `'250ms'`, `'1.5h'`, `'7d'`. */
export type Duration = number | `${number}${Unit}`;

export type ParsedDuration = { readonly ms: number } | { readonly reason: string };

const pattern = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(ms|s|m|h|d)$/;
const isUnit = (text: string | undefined): text is Unit => text !== undefined && text in unitsMs;

/** What a duration means, or what is wrong with it. */
export function parseDuration(value: unknown): ParsedDuration {
  let ms = Number.NaN;
  if (typeof value === 'number') ms = value;
  else if (typeof value === 'string') {
    const [, amount, unit] = pattern.exec(value) ?? [];
    if (!isUnit(unit)) return { reason: `${JSON.stringify(value)} is not a duration` };
    ms = Number(amount) * unitsMs[unit];
  } else return { reason: `${value === null ? 'null' : typeof value} is not a duration` };
  if (Number.isNaN(ms)) return { reason: 'NaN is not a duration' };
  if (ms < 0) return { reason: `${value} is negative` };
  if (ms > Number.MAX_SAFE_INTEGER) return { reason: `${value} is more than 2^53 ms` };
  return { ms: ms > 0 ? Math.max(1, Math.round(ms)) : 0 };
}

export const durationFix =
  "give milliseconds as a number, or a string such as '250ms', '30s', '2h' or '7d'";

/**
 * A duration in whole milliseconds, rounded, but never down to 0.
 *
 * @param field how the user calls the option, for the error: `deadline`, `tools.refund.compensation.within`
 * @returns 0 to 2^53 - 1
 * @throws SetupError `option_out_of_range` if it is negative, NaN, not finite, more than 2^53 ms or has no known unit
 * @example toMilliseconds('1.5h', 'deadline') // 5400000
 */
export function toMilliseconds(duration: Duration, field: string): number {
  const parsed = parseDuration(duration);
  if ('ms' in parsed) return parsed.ms;
  throw new SetupError('option_out_of_range', [{ field, reason: parsed.reason, fix: durationFix }]);
}
