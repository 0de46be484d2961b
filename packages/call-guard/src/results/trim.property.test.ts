import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonBytes } from './json-bytes.js';
import { placeOfLeftOut } from './left-out.js';
import { LEAST_BYTES, trim } from './trim.js';

/** Texts with all that makes a character take more than one byte. */
const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '中', '😀', '\u0001') });
const longText = fc.array(text, { minLength: 20, maxLength: 60 }).map((parts) => parts.join(''));

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(null, true, 0, -1.5e300, 12),
    text,
    longText,
    fc.array(tie('value'), { maxLength: 12 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('status', 'error', 'rows')), tie('value')),
  ),
}));
const json = fc
  .tuple(fc.oneof(fc.array(value), fc.dictionary(text, value)), fc.constantFrom(0, 2))
  .map(([of, indent]) => JSON.stringify(of, undefined, indent));
const size = fc.integer({ min: LEAST_BYTES, max: 2_000 });
const kept = fc.constantFrom({}, { rows: {} }, { rows: { status: {} }, error: {} });

const bytesOf = (given: string) => Buffer.byteLength(JSON.stringify(given)) - 2;

describe('the bytes of a text inside of JSON', () => {
  it('are those that it takes there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (given) => {
        expect(jsonBytes(given)).toBe(bytesOf(given));
      }),
    );
  });

  it('count half a character as it is escaped', () => {
    expect(jsonBytes('\ud83d')).toBe(bytesOf('\ud83d'));
    expect(jsonBytes('\ude00a')).toBe(bytesOf('\ude00a'));
  });
});

describe('a text that is cut', () => {
  it('is never longer than it may be, and untouched where it is short enough', () => {
    fc.assert(
      fc.property(fc.oneof(longText, json), size, kept, (given, most, fields) => {
        const cut = trim(given, most, fields);
        expect(bytesOf(cut)).toBeLessThanOrEqual(most);
        if (bytesOf(given) <= most) expect(cut).toBe(given);
        else expect(placeOfLeftOut(cut)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps its beginning and its end, and counts what is between exactly', () => {
    fc.assert(
      fc.property(longText, size, (given, most) => {
        fc.pre(bytesOf(given) > most && !/^\s*[[{]/.test(given));
        const [head = '', count, of, from, tail = ''] = trim(given, most).split(
          /\n\[holdfast left out (\d+) of (\d+) characters, from (\d+) on\]\n/,
        );
        expect(given.startsWith(head)).toBe(true);
        expect(given.endsWith(tail)).toBe(true);
        expect(JSON.stringify([head, tail])).not.toContain('\\ud');
        expect([Number(count), Number(of), Number(from)]).toEqual([
          given.length - head.length - tail.length,
          given.length,
          head.length,
        ]);
      }),
    );
  });
});

describe('JSON that is cut', () => {
  it('can still be parsed, and what is kept of it is as it was written', () => {
    fc.assert(
      fc.property(json, size, kept, (given, most, fields) => {
        expectPart(JSON.parse(trim(given, most, fields)), JSON.parse(given));
      }),
      { numRuns: 200 },
    );
  });
});

/** Everything in `part` is in `whole`, in its place, but for what says that something was left out. */
function expectPart(part: unknown, whole: unknown): void {
  if (typeof part === 'string' && placeOfLeftOut(part) !== undefined) {
    const [head = '', tail = ''] = part.split(/\[holdfast left out [^\]]*\]/);
    if (typeof whole !== 'string') return;
    expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
  } else if (Array.isArray(part) && Array.isArray(whole)) {
    part.forEach((inner, index) => {
      const isNote =
        typeof inner === 'string' && /^\[holdfast left out \d+ of \d+ items/.test(inner);
      if (isNote && index === part.length - 1) {
        expect(inner).toContain(` ${whole.length - index} of ${whole.length} items`);
      } else expectPart(inner, whole[index]);
    });
  } else if (typeof part === 'object' && part !== null) {
    const of: object = Object(whole);
    for (const [name, inner] of Object.entries(part)) {
      if (name === '[holdfast]') {
        const missing = Object.keys(of).length - Object.keys(part).length + 1;
        expect(inner).toContain(` ${missing} of ${Object.keys(of).length} fields`);
      } else expectPart(inner, Reflect.get(of, name));
    }
  } else expect(part).toBe(whole);
}
