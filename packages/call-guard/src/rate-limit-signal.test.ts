import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHttpDate } from './http-date.js';
import { readRateLimitSignal, type SignalSource } from './rate-limit-signal.js';

const NOW = Date.UTC(2026, 0, 1);
const read = (source: SignalSource) => readRateLimitSignal(source, NOW);
const wait = (headers: Record<string, unknown>, status = 429) =>
  read({ status, headers })?.retryAfterMs;
const said = (text: string) => read({ text })?.retryAfterMs;

describe('an HTTP date', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT'],
    ['Sunday, 06-Nov-94 08:49:37 GMT'],
    ['Sun Nov  6 08:49:37 1994'],
  ])('%s is read', (text) => {
    expect(parseHttpDate(text, NOW)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  });

  it.each(
    ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].map(
      (name, month) => [name, month] as const,
    ),
  )('knows %s', (name, month) => {
    expect(parseHttpDate(`Mon, 02 ${name} 2026 03:04:05 GMT`, NOW)).toBe(
      Date.UTC(2026, month, 2, 3, 4, 5),
    );
  });

  it('of two digits is never more than 50 years ahead', () => {
    expect(parseHttpDate('Wednesday, 01-Jan-76 00:00:00 GMT', NOW)).toBe(Date.UTC(2076, 0, 1));
    expect(parseHttpDate('Saturday, 01-Jan-77 00:00:00 GMT', NOW)).toBe(Date.UTC(1977, 0, 1));
  });

  it('counts a leap second as the one before', () => {
    expect(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT', NOW)).toBe(
      Date.UTC(2016, 11, 31, 23, 59, 59),
    );
  });

  it.each([
    'Thu, 1 Jan 2026 00:00:30 GMT',
    'Thu, 01 Jan 2026 00:00:30 UTC',
    'Thu, 01 Jan 2026 00:00:30 +0000',
    'Thu, 01 Jan 2026 00:00:30',
    'Thu, 31 Feb 2026 00:00:00 GMT',
    'Thu, 01 Jan 2026 24:00:00 GMT',
    'Thu, 01 Jan 2026 00:60:00 GMT',
    'Thu, 01 Jan 2026 23:60:00 GMT',
    'Thu, 01 Jan 2026 00:00:61 GMT',
    'Wed, 00 Jan 2026 00:00:00 GMT',
    'Thu, 32 Jan 2026 00:00:00 GMT',
    'thu, 01 jan 2026 00:00:30 gmt',
    'Foo, 01 Jan 2026 00:00:30 GMT',
    '2026-01-01T00:00:30Z',
    '2026',
    '',
  ])('in no legal form is refused: %j', (text) => {
    expect(parseHttpDate(text, NOW)).toBeUndefined();
  });
});

describe('Retry-After', () => {
  it('RS-25: seconds, decimals and all forms of a date', () => {
    expect(wait({ 'retry-after': '30' })).toBe(30_000);
    expect(wait({ 'Retry-After': 30 })).toBe(30_000);
    expect(wait({ 'retry-after': '1.5' })).toBe(1_500);
    expect(wait({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' })).toBe(30_000);
    expect(wait({ 'retry-after': 'Thursday, 01-Jan-26 00:00:30 GMT' })).toBe(30_000);
    expect(wait({ 'retry-after': 'Thu Jan  1 00:00:30 2026' })).toBe(30_000);
  });

  it("RS-25: a date counts from the answer's own Date, however wrong our clock is", () => {
    for (const skewMs of [-3_600_000, 0, 3_600_000]) {
      const headers = {
        'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT',
        date: 'Thu, 01 Jan 2026 00:00:10 GMT',
      };
      const signal = readRateLimitSignal({ status: 429, headers }, NOW + skewMs);
      expect(signal?.retryAfterMs).toBe(20_000);
    }
    const apart = { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' };
    const date = 'Thu, 01 Jan 2026 00:00:25 GMT';
    expect(read({ status: 429, headers: apart, date })?.retryAfterMs).toBe(5_000);
    expect(read({ status: 429, headers: { ...apart, date: 'soon' } })?.retryAfterMs).toBe(30_000);
  });

  it.each([
    'soon',
    '-5',
    '1e3',
    '0x10',
    '5 seconds',
    'NaN',
    'Infinity',
    '9'.repeat(400),
    '2026-01-01',
  ])('RS-25: %j cannot be read, so it is absent and listed, never zero', (value) => {
    expect(read({ status: 429, headers: { 'retry-after': value } })).toEqual({
      source: 'status 429',
      unreadable: [`retry-after: ${value.slice(0, 80)}`],
    });
  });

  it('of zero, or of a moment that is over, is absent and nothing to report', () => {
    const past = 'Wed, 31 Dec 2025 23:00:00 GMT';
    for (const value of ['0', '0.0', past]) {
      expect(read({ status: 429, headers: { 'retry-after': value } })).toEqual({
        source: 'status 429',
      });
    }
  });

  it('RS-27: that lasts longer than any limit is no time to wait', () => {
    expect(wait({ 'retry-after': String(366 * 86_400) })).toBe(366 * 86_400_000);
    expect(read({ status: 429, headers: { 'retry-after': '1767225600' } })).toEqual({
      source: 'status 429',
      unreadable: ['retry-after: 1767225600'],
    });
  });

  it('RS-28: that came several times counts with the longest time', () => {
    expect(wait({ 'retry-after': '5, 10' })).toBe(10_000);
    expect(wait({ 'retry-after': '5,10' })).toBe(10_000);
    expect(wait({ 'retry-after': ['10', '5'] })).toBe(10_000);
    expect(
      read({
        status: 429,
        headers: [
          ['Retry-After', 'soon'],
          ['retry-after', '7'],
        ],
      }),
    ).toEqual({ source: 'retry-after', retryAfterMs: 7_000, unreadable: ['retry-after: soon'] });
  });

  it('in milliseconds is the more exact one', () => {
    expect(wait({ 'retry-after': '2', 'retry-after-ms': '1250' })).toBe(1_250);
    expect(wait({ 'retry-after': '2', 'x-ms-retry-after-ms': '1250.5' })).toBe(1_250.5);
    expect(read({ status: 429, headers: { 'retry-after': '2', 'retry-after-ms': 'x' } })).toEqual({
      source: 'retry-after',
      retryAfterMs: 2_000,
      unreadable: ['retry-after-ms: x'],
    });
  });

  it('is read from Headers, pairs and plain objects', () => {
    const headers = new Headers({ 'Retry-After': '3' });
    expect(read({ status: 429, headers })?.retryAfterMs).toBe(3_000);
    expect(read({ status: 429, headers: new Map([['RETRY-AFTER', '3']]) })?.retryAfterMs).toBe(
      3_000,
    );
    expect(read({ status: 429, headers: ['retry-after', '3'] })).toEqual({ source: 'status 429' });
  });

  it('speaks of a limit for any failure, and not for a success', () => {
    expect(wait({ 'retry-after': '3' }, 503)).toBe(3_000);
    expect(wait({ 'retry-after': '3' }, 400)).toBe(3_000);
    expect(read({ status: 503, headers: { 'retry-after': '0' } })).toEqual({
      source: 'retry-after',
    });
    expect(wait({ 'retry-after': '3' }, 202)).toBeUndefined();
    expect(read({ status: 503 })).toBeUndefined();
    expect(read({ status: 503, headers: { 'retry-after': 'x' } })).toEqual({
      source: 'retry-after',
      unreadable: ['retry-after: x'],
    });
  });
});

describe('reset headers', () => {
  it.each([
    ['x-ratelimit-reset', '1767225660', 60_000],
    ['x-ratelimit-reset', '1767225660000', 60_000],
    ['X-Rate-Limit-Reset', '1767225660.5', 60_500],
    ['ratelimit-reset', '60', 60_000],
    ['x-ratelimit-reset-requests', '6m0s', 360_000],
    ['x-ratelimit-reset-tokens', '1s', 1_000],
    ['x-ratelimit-reset-tokens', '20ms', 20],
    ['x-ratelimit-reset-tokens', '2m59.56s', 179_560],
    ['x-ratelimit-reset-requests', '1d2h', 93_600_000],
    ['x-ratelimit-reset-after', '1.5', 1_500],
    ['x-ratelimit-reset', '2 hrs, 3 mins and 4 secs 5 msecs', 7_384_005],
    ['x-ratelimit-reset', '1 hr 1 min 1 sec 1 msec', 3_661_001],
    ['x-ratelimit-reset', '2 hours 1 minute 2 seconds 3 milliseconds', 7_262_003],
    ['x-ratelimit-reset', '1 HOUR 2 Minutes 1 second 1 millisecond', 3_721_001],
    ['x-ratelimit-reset', '1 day 2h 3m 4s 5ms', 93_784_005],
    ['x-ratelimit-reset', '2 days', 172_800_000],
    ['x-ratelimit-reset', '2026-01-01T00:01:00.25Z', 60_250],
    ['anthropic-ratelimit-requests-reset', '2026-01-01T00:01:00Z', 60_000],
    ['anthropic-ratelimit-output-tokens-reset', '2026-01-01T01:01:00+01:00', 60_000],
  ])('%s: %s', (name, value, ms) => {
    expect(read({ status: 429, headers: { [name]: value } })).toEqual({
      source: name.toLowerCase(),
      retryAfterMs: ms,
    });
  });

  it('count after Retry-After', () => {
    expect(wait({ 'retry-after': '1', 'x-ratelimit-reset-requests': '6m0s' })).toBe(1_000);
  });

  it('of several buckets: that of the empty one, else the last', () => {
    const resets = {
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-reset-tokens': '1s',
      'x-ratelimit-remaining-requests': '59',
    };
    expect(wait({ ...resets, 'x-ratelimit-remaining-tokens': '0' })).toBe(1_000);
    expect(wait({ ...resets, 'x-ratelimit-remaining-tokens': '12' })).toBe(360_000);
  });

  it('are on good answers and other errors too, and say nothing there', () => {
    const headers = { 'x-ratelimit-reset': '60', 'x-ratelimit-remaining': '9' };
    expect(read({ status: 200, headers })).toBeUndefined();
    expect(read({ status: 500, headers })).toBeUndefined();
    expect(read({ status: 200, headers: { ...headers, 'x-ratelimit-remaining': '0' } })).toBe(
      undefined,
    );
    // GitHub refuses so.
    expect(wait({ ...headers, 'x-ratelimit-remaining': '0' }, 403)).toBe(60_000);
  });

  it.each([
    'tomorrow',
    '',
    '5 bananas',
    '5s!',
    '1m and a bit',
    '60 x',
    '2026-01-01T00:01:00Z (UTC)',
    '(at) 2026-01-01T00:01:00Z',
    // Longer than any limit lasts.
    '400 days',
  ])('that cannot be read are listed: %j', (value) => {
    expect(read({ status: 429, headers: { 'x-ratelimit-reset': value } })).toEqual({
      source: 'status 429',
      unreadable: [`x-ratelimit-reset: ${value}`],
    });
  });

  it.each(['1000000000', '1000000000000', '2001-09-09T01:46:40Z'])(
    'of a moment that is over, the first that counts as one included, say nothing: %s',
    (value) => {
      expect(read({ status: 429, headers: { 'x-ratelimit-reset': value } })).toEqual({
        source: 'status 429',
      });
    },
  );

  it.each(['my-x-ratelimit-reset', 'x-ratelimit-resettle', 'x-ratelimit'])(
    'have their names: %s is none',
    (name) => {
      expect(read({ status: 429, headers: { [name]: '60' } })).toEqual({ source: 'status 429' });
    },
  );
});

describe('texts', () => {
  it.each([
    ['Rate limit reached for m in organization o. Please try again in 20s.', 20_000],
    ['Please try again in 6m0s. Visit https://platform.example.com', 360_000],
    ['please try again in 1.5 seconds', 1_500],
    ['Try again in 5 minutes', 300_000],
    ['try again in 1 minute and 30 seconds', 90_000],
    ['Too many requests, retry in 20s', 20_000],
    ['Please retry in 35.118532s.', 35_118.532],
    ['Too Many Requests: retry after 35', 35_000],
    ['retry-after: 12', 12_000],
    ['You are being rate limited. Wait 2 hours', 7_200_000],
    ['{"message":"You are being rate limited.","retry_after":0.57,"global":false}', 570],
    ['Usage limit reached|1767225660', 60_000],
    ['usage limit reached, resets at 1767225660', 60_000],
    ['Usage limit reached; resets at 2026-01-01T00:01:00Z.', 60_000],
    ['{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"35s"}', 35_000],
    ['{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "35.5s"}', 35_500],
    ['{"retryDelay" : "2.25s"}', 2_250],
    [JSON.stringify(JSON.stringify({ error: JSON.stringify({ retryDelay: '7s' }) })), 7_000],
    ['{"retry_after" : "12"}', 12_000],
    ['{"retry_after":12}', 12_000],
    ['Retry after 1.25!', 1_250],
    ['try again in 0 seconds, retry-after: 12', 12_000],
    ['USAGE LIMIT: RESETS AT 2026-01-01T00:01:00.5Z', 60_500],
    ['quota reset 1767225660', 60_000],
    ['quota exceeded until = 1767225660', 60_000],
    ['try again at 1767225660000', 60_000],
    ['resets on 1767225660', 60_000],
  ])('%j', (text, ms) => {
    expect(said(text)).toBeCloseTo(ms, 6);
  });

  it.each([
    'You exceeded your current quota, please check your plan and billing details.',
    'Rate limit exceeded',
    'Error: rate_limit_error',
    'HTTP 429 Too Many Requests',
    'RESOURCE_EXHAUSTED',
    'The model is overloaded. Please try again later.',
    'Request was throttled.',
    'you are rate-limited',
  ])('that speak of a limit and not of a time: %j', (text) => {
    expect(read({ text })).toEqual({ source: 'text' });
  });

  it.each([
    '',
    'rate limit must be a number',
    'try again',
    'try again in a few minutes',
    'try again in 5 bananas',
    'retry after 35abc',
    'retry after 1.2.3',
    'resets at 17672256601',
    'resets at 17672256600001',
    `${'x'.repeat(9_990)} rate limit exceeded`,
    'order 1767225660 not found',
    'account 1767225660 exceeded its credit',
    'the request took 20s',
  ])('that say nothing of either: %j', (text) => {
    expect(read({ text })).toBeUndefined();
  });

  it.each([
    ['{"retryDelay":"35s"}', 'retry-info'],
    ['{"retry_after":5}', 'text'],
    ['try again in 5s', 'text'],
    ['retry-after: 5', 'text'],
    ['resets at 2026-01-01T00:01:00Z', 'text'],
    ['resets at 1767225660', 'text'],
  ])('say where the time was read: %j', (text, source) => {
    expect(read({ text })).toMatchObject({ source });
  });

  it('of a success count, for errors come inside of a 200 too', () => {
    expect(read({ status: 200, text: 'rate limit exceeded, retry in 5s' })).toEqual({
      source: 'text',
      retryAfterMs: 5_000,
    });
  });

  it('of any length are read in no time', () => {
    const text = 'exceeded '.repeat(200_000);
    expect(read({ text })).toBeUndefined();
  });
});

describe('whatever is given', () => {
  const number = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.constantFrom(0, -1, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 31, 2 ** 53),
  );
  const value = fc.oneof(
    fc.string(),
    number.map(String),
    number,
    fc.constantFrom(
      'Thu, 01 Jan 2026 00:00:30 GMT',
      'Wed, 31 Dec 2025 00:00:00 GMT',
      '6m0s',
      '5,6',
    ),
    number.map((amount) => `${amount}s`),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.array(fc.string()),
    fc.constant(undefined),
    fc.constant(null),
    fc.object(),
  );
  const headers = fc.dictionary(
    fc.constantFrom(
      'retry-after',
      'Retry-After',
      'retry-after-ms',
      'date',
      'x-ratelimit-reset',
      'x-ratelimit-remaining',
      'x-ratelimit-reset-requests',
      'anthropic-ratelimit-tokens-reset',
    ),
    value,
  );
  const text = fc.oneof(
    fc.string(),
    number.map((amount) => `rate limit exceeded, try again in ${amount} seconds`),
    number.map((amount) => `usage limit reached|${amount}`),
    number.map((amount) => `"retryDelay": "${amount}s"`),
    number.map((amount) => `"retry_after": ${amount}`),
    number.map((amount) => `please retry after ${amount}`),
  );
  const status = fc.constantFrom(undefined, 200, 403, 425, 429, 500, 503, 529);

  it('RS-25, RS-27: a wait is finite and above zero, or absent', () => {
    fc.assert(
      fc.property(
        headers,
        text,
        status,
        fc.integer({ min: 0, max: 4_102_444_800_000 }),
        (fields, words, code, nowMs) => {
          const signal = readRateLimitSignal(
            { headers: fields, text: words, ...(code === undefined ? {} : { status: code }) },
            nowMs,
          );
          if (signal === undefined) return;
          expect(signal.source).not.toBe('');
          expect(signal.unreadable).not.toEqual([]);
          if (!('retryAfterMs' in signal)) return;
          expect(signal.retryAfterMs).toBeGreaterThan(0);
          expect(Number.isFinite(signal.retryAfterMs)).toBe(true);
        },
      ),
      { seed: 25, numRuns: 2_000 },
    );
  });
});
