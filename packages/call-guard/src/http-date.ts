const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const SHORT_DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';

/** IMF-fixdate, RFC 850 and asctime. */
const FORMS = [
  new RegExp(`^${SHORT_DAY}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${SHORT_DAY} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
];

/**
 * An HTTP date as milliseconds since 1970, by the grammar of RFC 9110 section 5.6.7: its three forms and
 * nothing else. `Date.parse` takes far more, and reads it as local time.
 *
 * @param nowMs places a year of two digits: a date more than 50 years ahead is of the century before
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return momentOf(parts, nowMs);
  }
  return undefined;
}

function momentOf(parts: Record<string, string>, nowMs: number): number | undefined {
  const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(
    Number,
  ) as [number, number, number, number];
  const month = MONTHS.indexOf(String(parts.month));
  const year = fullYear(String(parts.year), nowMs);
  // A leap second is legal and has no place in Unix time.
  const whole = Date.UTC(year, month, day, hour, minute, Math.min(second, 59));
  const is = new Date(whole);
  // What is too much for a day or an hour shows in the number of the day or the hour.
  const exists = second <= 60 && is.getUTCDate() === day && is.getUTCHours() === hour;
  return exists ? whole : undefined;
}

function fullYear(year: string, nowMs: number): number {
  if (year.length === 4) return Number(year);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % 100) + Number(year);
  return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury;
}
