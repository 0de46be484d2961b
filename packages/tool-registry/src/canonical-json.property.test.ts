import { isDeepStrictEqual } from 'node:util';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CanonicalJsonReason, canonicalJson, isCanonicalJsonError } from './canonical-json.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Texts around what a writer may treat apart: escapes, surrogate pairs, and the length of a long text. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', '/', '\n', '\u007f', '\u2028', '😀', 'é') }),
  fc.string({
    unit: fc.constantFrom('x', 'x', 'x', '\u0000', '€', '😀'),
    minLength: 60,
    maxLength: 70,
  }),
);
/** Names that JavaScript orders by itself, that mean something on objects, or that sort near each other. */
const name = fc.oneof(
  fc.constantFrom('', '0', '2', '10', '-1', '4294967295', '__proto__', 'toJSON', 'constructor'),
  fc.constantFrom('a', 'A', 'aa', 'b', 'é', '\ufb33', '😀', '"', '\\'),
  text,
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(0, -0, 1e21, 1e-7, 5e-324, 2 ** 53, 123456789012345680000, 0.1 + 0.2),
);
const { json } = fc.letrec<{ json: Json; list: Json[]; object: { [key: string]: Json } }>(
  (tie) => ({
    json: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom<Json>(null, true, false),
      number,
      text,
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('json'), { maxLength: 5 }),
    object: fc
      .uniqueArray(fc.tuple(name, tie('json')), { maxLength: 6, selector: ([key]) => key })
      .map((entries) => Object.fromEntries(entries)),
  }),
);

/** The next of a series of choices, 0 to 1. */
type Choose = () => number;
const choices: fc.Arbitrary<Choose> = fc
  .array(fc.nat(999), { minLength: 20, maxLength: 50 })
  .map((series) => {
    let next = 0;
    return () => (series[next++ % series.length] ?? 0) / 1000;
  });

/** One of the many JSON texts of a value: as a model might write it. */
function written(value: Json, choose: Choose): string {
  const gap = () => ['', '', ' ', '\n', '\t '][Math.floor(choose() * 5)] ?? '';
  const list = (items: readonly string[]) => items.map((item) => gap() + item + gap()).join(',');
  if (typeof value === 'string') return writtenText(value, choose);
  if (typeof value === 'number') return writtenNumber(value, choose);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${list(value.map((item) => written(item, choose)))}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${writtenText(key, choose)}${gap()}:${gap()}${written(item, choose)}`,
  );
  const from = Math.floor(choose() * members.length);
  return `{${list([...members.slice(from), ...members.slice(0, from).reverse()])}}`;
}

function writtenText(value: string, choose: Choose): string {
  const units = value.split('').map((unit) => {
    const escaped = `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    if (choose() < 0.3) return choose() < 0.5 ? escaped : `\\u${escaped.slice(2).toUpperCase()}`;
    if (unit === '/' && choose() < 0.5) return '\\/';
    return unit < ' ' || unit === '"' || unit === '\\' ? escaped : unit;
  });
  return `"${units.join('')}"`;
}

function writtenNumber(value: number, choose: Choose): string {
  const forms = [JSON.stringify(value), value.toExponential(), value.toExponential().toUpperCase()];
  if (value === 0) forms.push('-0', '0.0', '-0e7');
  else if (Number.isInteger(value) && Math.abs(value) < 1e20)
    forms.push(`${value}.0`, `${value}0e-1`);
  return forms[Math.floor(choose() * forms.length)] ?? '';
}

/** The same value with one thing in it changed, or not. */
function changed(value: Json, choose: Choose): Json {
  if (Array.isArray(value) && choose() < 0.8) {
    const at = Math.floor(choose() * value.length);
    if (choose() < 0.7) return value.map((item, i) => (i === at ? changed(item, choose) : item));
    return choose() < 0.5 ? [...value, null] : [...value].reverse();
  }
  if (typeof value === 'object' && value !== null && choose() < 0.8) {
    const entries = Object.entries(value);
    const at = Math.floor(choose() * entries.length);
    const mutated = entries.map(([key, item], i): [string, Json] => {
      if (i !== at) return [key, item];
      return choose() < 0.7 ? [key, changed(item, choose)] : [`${key}\u0000`, item];
    });
    return Object.fromEntries(choose() < 0.8 ? mutated : entries.slice(1));
  }
  if (choose() < 0.3) return value;
  const others: readonly Json[] = [String(value), [value], { a: value }, null, `${value} `, 0, ''];
  return others[Math.floor(choose() * others.length)] ?? null;
}

const isEqual = (a: Json, b: Json) =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));

/** What has no canonical form, and why. */
const impossible = fc.constantFrom<readonly [unknown, CanonicalJsonReason]>(
  [Number.NaN, 'not_finite'],
  [Number.POSITIVE_INFINITY, 'not_finite'],
  [undefined, 'undefined'],
  [1n, 'bigint'],
  [() => 1, 'function'],
  [Symbol('x'), 'symbol'],
  ['\ud83d', 'lone_surrogate'],
  [`${'x'.repeat(70)}\ude00`, 'lone_surrogate'],
  [new Date(Number.NaN), 'invalid_date'],
  [new Map(), 'not_plain'],
  [new (class Money {})(), 'not_plain'],
);

/** `value` with `part` put somewhere into it, and the way there as an error names it. */
function planted(value: Json, part: unknown, choose: Choose): { whole: unknown; path: string } {
  if (typeof value !== 'object' || value === null || choose() < 0.2)
    return { whole: part, path: '' };
  const deeper = (item: Json | undefined) => planted(item ?? null, part, choose);
  if (Array.isArray(value)) {
    const at = Math.floor(choose() * (value.length + 1));
    const { whole, path } = deeper(value[at]);
    return {
      whole: [...value.slice(0, at), whole, ...value.slice(at + 1)],
      path: `[${at}]${path}`,
    };
  }
  const key = Object.keys(value)[Math.floor(choose() * Object.keys(value).length)] ?? 'new one';
  const { whole, path } = deeper(value[key]);
  const step = /^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return { whole: Object.fromEntries([...Object.entries(value), [key, whole]]), path: step + path };
}

const sure = { seed: 8785, numRuns: 500 };

describe('canonical JSON, of any value', () => {
  it('is what canonicalize writes', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      sure,
    );
  });

  it('writes any text and any number as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.oneof(text, number), (value) => {
        expect(canonicalJson(value)).toBe(JSON.stringify(value));
      }),
      sure,
    );
  });

  it('is itself JSON of an equal value, and its own canonical form', () => {
    fc.assert(
      fc.property(json, (value) => {
        const canonical = canonicalJson(value);
        expect(isEqual(JSON.parse(canonical), value)).toBe(true);
        expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
      }),
      sure,
    );
  });

  it('does not depend on how the value was written: order, spaces, forms of numbers, escapes', () => {
    fc.assert(
      fc.property(json, choices, (value, choose) => {
        expect(canonicalJson(JSON.parse(written(value, choose)))).toBe(canonicalJson(value));
      }),
      sure,
    );
  });

  it('is equal for two values only if they are equal', () => {
    let different = 0;
    fc.assert(
      fc.property(json, choices, (value, choose) => {
        const other = changed(value, choose);
        const equal = isEqual(value, other);
        different += equal ? 0 : 1;
        expect(canonicalJson(other) === canonicalJson(value)).toBe(equal);
      }),
      sure,
    );
    // Else the changes above would be none.
    expect(different).toBeGreaterThan(250);
    expect(different).toBeLessThan(500);
  });

  it('writes dates and what has toJSON as JSON.stringify does', () => {
    const given = fc.oneof(
      fc.date({ noInvalidDate: true }).map((date) => ({ value: date, as: date.toISOString() })),
      json.map((as) => ({ value: { toJSON: () => as, dropped: 1n }, as })),
      json.map((as) => ({ value: as, as })),
    );
    fc.assert(
      fc.property(fc.array(given), (all) => {
        expect(canonicalJson(all.map(({ value }) => value))).toBe(
          canonicalJson(all.map(({ as }) => as)),
        );
      }),
      sure,
    );
  });

  it('is refused for the one thing in it that has none, with the place and the reason', () => {
    fc.assert(
      fc.property(json, impossible, choices, (value, [part, reason], choose) => {
        const { whole, path } = planted(value, part, choose);
        // There a function has a meaning.
        fc.pre(!path.endsWith('.toJSON'));
        let error: unknown;
        try {
          canonicalJson(whole);
        } catch (thrown) {
          error = thrown;
        }
        if (!isCanonicalJsonError(error)) throw new Error('not refused', { cause: error });
        expect([error.path, error.reason]).toEqual([`$${path}`, reason]);
      }),
      sure,
    );
  });
});
