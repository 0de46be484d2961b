import { type HeaderFields, type HeaderSource, headerFields } from './header-fields.js';
import { parseHttpDate } from './http-date.js';
import {
  duration,
  milliseconds,
  reset,
  retryAfter,
  seconds,
  units,
  untilEpoch,
  untilIsoDate,
} from './written-wait.js';

/** What an answer holds that may speak of a limit. */
export interface SignalSource {
  readonly status?: number | undefined;
  readonly headers?: HeaderSource | undefined;
  /** Message and body, as text. */
  readonly text?: string;
  /** The answer's own `Date`, where it is not among the headers. */
  readonly date?: string;
}

/** That the other side takes no more for now, and until when. */
export interface RateLimitSignal {
  /** From now, in milliseconds: finite and above 0. Absent if nothing readable says it. */
  readonly retryAfterMs?: number;
  /** The header it was read from, `retry-info`, `text`, or `status` and its number. */
  readonly source: string;
  /** What was there and could not be read, as `name: value`. */
  readonly unreadable?: readonly string[];
}

/** Longer than any limit lasts; what says more is no time to wait. */
const LONGEST_MS = 366 * 86_400_000;
/** Of a text that long only the beginning is looked at. */
const MOST_TEXT = 10_000;

/** Statuses that say by themselves that a limit was met. */
const LIMIT_STATUSES = new Set([425, 429, 529]);

const LIMIT_TEXT = new RegExp(
  [
    'rate[ _-]?limit[ _-](?:exceeded|reached|hit|error)',
    'rate[ _-]?limited',
    '(?:exceeded|reached|hit)[^.\\n]{0,40}\\b(?:rate|usage|request|token)[ _-]?limit',
    '(?:usage|request|token) limit (?:was |has been )?(?:reached|exceeded)',
    'quota (?:was |has been )?(?:exceeded|exhausted|reached)',
    'exceeded your (?:current )?quota',
    'too many requests',
    'resource[ _]?(?:has been )?exhausted',
    'throttl(?:ed|ing)',
    'overloaded',
  ].join('|'),
  'i',
);

const UNIT = `(?:${[...units.keys()].join('|')})(?![a-z])`;
const AMOUNT = `\\d{1,15}(?:\\.\\d{1,15})?\\s?${UNIT}`;
const DURATION = `${AMOUNT}(?:(?:,| and)?\\s?${AMOUNT}){0,3}`;
const DATE_TIME =
  '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)';

/** How texts say how long; the first that can be read counts. */
const TEXTS: readonly {
  readonly source: string;
  readonly form: RegExp;
  readonly read: (found: string, nowMs: number) => number | undefined;
}[] = [
  {
    // google.rpc.RetryInfo in a JSON body, which clients like to put into one another.
    source: 'retry-info',
    form: /retryDelay\\{0,9}"\s?:\s?\\{0,9}"(\d{1,15}(?:\.\d{1,15})?s)\b/,
    read: duration,
  },
  {
    source: 'text',
    form: /"retry_after"\s?:\s?"?(\d{1,15}(?:\.\d{1,15})?)\b/,
    read: seconds,
  },
  {
    source: 'text',
    form: new RegExp(
      `(?:again|retry|wait|resets?)(?: (?:in|after|for))?(?: about)? (${DURATION})`,
      'i',
    ),
    read: duration,
  },
  {
    source: 'text',
    form: /retry[ -]after:? (\d{1,9}(?:\.\d{1,15})?)(?![\w.])/i,
    read: seconds,
  },
  {
    source: 'text',
    form: new RegExp(`(?:again|retry|resets?|available)[^\\n]{0,20}? (${DATE_TIME})`, 'i'),
    read: untilIsoDate,
  },
  {
    source: 'text',
    // `usage limit reached|1767225600`, `resets at 1767225600`.
    form: /(?:(?:reached|exceeded)\||(?:resets?|until|again)(?: at| on)?[ :=|]{1,3})(\d{10}(?:\d{3})?)\b/i,
    read: untilEpoch,
  },
];

/**
 * Reads what an answer says about a limit: `retry-after-ms`, `retry-after` (RFC 9110 section 10.2.3),
 * `x-ratelimit-reset*` and its like, Google's `RetryInfo`, and texts. Moments are counted from the
 * answer's own `Date` where it has one, so that clocks need not agree. What cannot be read is absent,
 * never zero, and is listed. Undefined if nothing speaks of a limit.
 *
 * @param wallMs the time now, where the answer does not tell it
 */
export function readRateLimitSignal(
  source: SignalSource,
  wallMs: number,
): RateLimitSignal | undefined {
  const fields: HeaderFields =
    source.headers === undefined ? new Map() : headerFields(source.headers);
  const text = source.text?.slice(0, MOST_TEXT) ?? '';
  const isLimit = LIMIT_STATUSES.has(source.status ?? 0) || LIMIT_TEXT.test(text);
  // `Retry-After` of a success says when to ask for news.
  if (source.status !== undefined && source.status < 400 && !isLimit) return undefined;
  const date = source.date ?? fields.get('date')?.[0] ?? '';
  const nowMs = parseHttpDate(date, wallMs) ?? wallMs;
  const found = [
    ...headerSignals(fields, isLimit, nowMs),
    ...textSignals(text, nowMs),
    ...(isLimit ? [{ source: statusOrText(source.status) }] : []),
  ];
  const unreadable = found.flatMap((signal) =>
    'unreadable' in signal ? [`${signal.source}: ${signal.unreadable.slice(0, 80)}`] : [],
  );
  const first = found.find(isWait) ?? found.at(-1);
  if (first === undefined) return undefined;
  return {
    source: first.source,
    ...(isWait(first) ? { retryAfterMs: first.retryAfterMs } : {}),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
}

interface Wait {
  readonly source: string;
  readonly retryAfterMs: number;
}
type Found =
  | Wait
  | { readonly source: string; readonly unreadable: string }
  /** Readable, and over already. */
  | { readonly source: string };

function isWait(found: Found): found is Wait {
  return 'retryAfterMs' in found;
}

function headerSignals(fields: HeaderFields, isLimit: boolean, nowMs: number): Found[] {
  const found: Found[] = [];
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    found.push(...readField(name, fields.get(name), milliseconds));
  }
  const after = (value: string) => retryAfter(value, nowMs);
  found.push(...readField('retry-after', fields.get('retry-after'), after));
  return [...found, ...resetSignals(fields, isLimit, nowMs)];
}

/** Every value of a field; of several that can be read the longest, so that none is undercut. */
function readField(
  name: string,
  values: readonly string[] | undefined,
  read: (text: string) => number | undefined,
): Found[] {
  const found = (values ?? [])
    // Clients join equal fields with commas; an HTTP date holds one itself.
    .flatMap((value) => (read(value) === undefined ? value.split(/,\s*/) : [value]))
    .map((value) => toFound(name, value, read(value)));
  return longestFirst(found);
}

function longestFirst(found: readonly Found[]): Found[] {
  const ms = (signal: Found) => (isWait(signal) ? signal.retryAfterMs : 0);
  return [...found].sort((a, b) => ms(b) - ms(a));
}

function toFound(source: string, value: string, ms: number | undefined): Found {
  if (ms === undefined || ms > LONGEST_MS) return { source, unreadable: value };
  return ms > 0 ? { source, retryAfterMs: ms } : { source };
}

const RESET = /^(?:x-)?(?:anthropic-)?rate-?limit-(?:.*-)?reset(?:-.*)?$/;

/** Several buckets reset at their own times: those that are empty count, else all, and the last one decides. */
function resetSignals(fields: HeaderFields, isLimit: boolean, nowMs: number): Found[] {
  const resets = [...fields].filter(([name]) => RESET.test(name));
  const isEmpty = ([name]: (typeof resets)[number]) =>
    fields.get(name.replace('reset', 'remaining'))?.[0] === '0';
  const empty = resets.filter(isEmpty);
  if (empty.length === 0 && !isLimit) return [];
  const read = (value: string) => reset(value, nowMs);
  const counting = empty.length === 0 ? resets : empty;
  return longestFirst(counting.flatMap(([name, values]) => readField(name, values, read)));
}

function textSignals(text: string, nowMs: number): Found[] {
  for (const { source, form, read } of TEXTS) {
    const value = form.exec(text)?.[1];
    if (value === undefined) continue;
    const found = toFound(source, value, read(value, nowMs));
    if (isWait(found)) return [found];
  }
  return [];
}

function statusOrText(status: number | undefined): string {
  return LIMIT_STATUSES.has(status ?? 0) ? `status ${status}` : 'text';
}
