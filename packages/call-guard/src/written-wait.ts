/** The forms in which servers write how long to wait. Each gives milliseconds, or undefined for anything else. */
import { parseHttpDate } from './http-date.js';

const NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/;
const ISO_DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** In milliseconds, by each of its names. */
export const units: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ ms: 1, msec: 1, msecs: 1, millisecond: 1, milliseconds: 1 },
    ...{ s: 1_000, sec: 1_000, secs: 1_000, second: 1_000, seconds: 1_000 },
    ...{ m: 60_000, min: 60_000, mins: 60_000, minute: 60_000, minutes: 60_000 },
    ...{ h: 3_600_000, hr: 3_600_000, hrs: 3_600_000, hour: 3_600_000, hours: 3_600_000 },
    ...{ d: 86_400_000, day: 86_400_000, days: 86_400_000 },
  }),
);

/** From this number on a reset is a moment and no distance: 2001 in seconds, 1970 in no unit. */
const FIRST_EPOCH_SECONDS = 1_000_000_000;
const FIRST_EPOCH_MS = 1_000_000_000_000;

export function milliseconds(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

export function seconds(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) * 1_000 : undefined;
}

/** `6m0s`, `20ms`, `1 minute and 30 seconds`. */
export function duration(text: string): number | undefined {
  const part = /(\d{1,15}(?:\.\d{1,15})?)\s?([a-z]{1,12})(?:\s?(?:,|and)?\s?)/giy;
  let total = 0;
  let end = 0;
  for (let found = part.exec(text); found !== null; found = part.exec(text)) {
    const [, amount, name] = found;
    const unit = units.get(String(name).toLowerCase());
    if (unit === undefined) return undefined;
    total += Number(amount) * unit;
    end = part.lastIndex;
  }
  return end === text.length && end > 0 ? total : undefined;
}

/** Until a moment given as an ISO 8601 date-time. */
export function untilIsoDate(text: string, nowMs: number): number | undefined {
  const moment = ISO_DATE_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment - nowMs;
}

/** Until a moment given as seconds or milliseconds since 1970. */
export function untilEpoch(text: string, nowMs: number): number | undefined {
  const value = milliseconds(text);
  if (value === undefined || value < FIRST_EPOCH_SECONDS) return undefined;
  return (value < FIRST_EPOCH_MS ? value * 1_000 : value) - nowMs;
}

/** `Retry-After`: seconds, which servers send with decimals too, or an HTTP date. */
export function retryAfter(text: string, nowMs: number): number | undefined {
  const moment = parseHttpDate(text, nowMs);
  return moment === undefined ? seconds(text) : moment - nowMs;
}

/** `x-ratelimit-reset` and its like: a moment in seconds since 1970, seconds, a duration, or a date-time. */
export function reset(text: string, nowMs: number): number | undefined {
  return untilEpoch(text, nowMs) ?? seconds(text) ?? duration(text) ?? untilIsoDate(text, nowMs);
}
