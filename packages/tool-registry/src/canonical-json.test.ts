import { describe, expect, it } from 'vitest';
import {
  CanonicalJsonError,
  type CanonicalJsonReason,
  canonicalJson,
  isCanonicalJsonError,
  sha256,
} from './canonical-json.js';

function refusal(value: unknown): { path: string; reason: CanonicalJsonReason } | string {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (!isCanonicalJsonError(error)) throw error;
    return { path: error.path, reason: error.reason };
  }
}

/** Containers within containers; the innermost is at level `levels`. */
function nested(levels: number): unknown {
  let value: unknown = [];
  for (let i = 1; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('canonical JSON', () => {
  it('writes the example of RFC 8785', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('orders keys by UTF-16 code units', () => {
    const value = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      ö: 7,
    };
    const keys = Object.keys(JSON.parse(canonicalJson(value)) as object);
    expect(keys).toEqual(['1', '\r', '\u0080', 'ö', '\u20ac', '\ud83d\ude00', '\ufb33']);
  });

  it('gives equal values one form', () => {
    expect(canonicalJson(-0)).toBe('0');
    expect(canonicalJson(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
    expect(canonicalJson({ a: { toJSON: (key: string) => ({ z: key, b: 1 }) } })).toBe(
      '{"a":{"b":1,"z":"a"}}',
    );
    expect(canonicalJson([{ toJSON: (key: string) => key }])).toBe('["0"]');
    expect(canonicalJson(JSON.parse('{"__proto__":1,"toJSON":"x"}'))).toBe(
      '{"__proto__":1,"toJSON":"x"}',
    );
  });

  it('writes every character as JSON.stringify does, wherever it stands', () => {
    for (let code = 0; code < 0x3000; code += code < 0x100 ? 1 : 0x1f) {
      const char = String.fromCharCode(code);
      for (const text of [char, `${char}ab`, `a${char}b`, `ab${char}`, char.repeat(70)]) {
        expect(canonicalJson(text)).toBe(JSON.stringify(text));
      }
    }
  });

  it('asks toJSON once, with the name under which the value stands', () => {
    const name = { toJSON: (key: string) => key };
    expect(canonicalJson(name)).toBe('""');
    expect(canonicalJson({ a: name })).toBe('{"a":"a"}');
    expect(canonicalJson({ toJSON: () => null })).toBe('null');
    expect(refusal({ toJSON: () => ({ toJSON: () => 1 }) })).toEqual({
      path: '$.toJSON',
      reason: 'function',
    });
  });

  it('accepts the same object twice where it does not contain itself', () => {
    const shared = { a: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  const cycle: { items: unknown[] } = { items: [1] };
  cycle.items.push(cycle);
  class Money {
    amount = 1;
  }
  it.each<[string, unknown, string, CanonicalJsonReason]>([
    ['NaN', { a: [Number.NaN] }, '$.a[0]', 'not_finite'],
    ['Infinity', Number.NEGATIVE_INFINITY, '$', 'not_finite'],
    ['undefined', undefined, '$', 'undefined'],
    ['undefined in a list', [1, undefined], '$[1]', 'undefined'],
    ['a hole in a list', new Array(1), '$[0]', 'undefined'],
    ['undefined as a property', { a: { b: undefined } }, '$.a.b', 'undefined'],
    ['bigint', { a: 1n }, '$.a', 'bigint'],
    ['a function', { a: () => 1 }, '$.a', 'function'],
    ['a symbol', [Symbol('x')], '$[0]', 'symbol'],
    ['half a surrogate pair', { a: 'x\ud83d' }, '$.a', 'lone_surrogate'],
    ['the other half in a long text', ['\ude00'.padEnd(200, 'x')], '$[0]', 'lone_surrogate'],
    ['half a surrogate pair in a key', { '\ud83d': 1 }, '$["\\ud83d"]', 'lone_surrogate'],
    ['an invalid date', { 'at the end': new Date('x') }, '$["at the end"]', 'invalid_date'],
    ['a Map', { a: new Map() }, '$.a', 'not_plain'],
    ['a Set', new Set(), '$', 'not_plain'],
    ['a typed array', new Uint8Array(2), '$', 'not_plain'],
    ['a class instance', new Money(), '$', 'not_plain'],
    ['a boxed value', Object('x'), '$', 'not_plain'],
    ['a cycle', cycle, '$.items[1]', 'cycle'],
    ['what comes after deeper values', [[[1]], { b: { c: 1 } }, 1n], '$[2]', 'bigint'],
    ['what toJSON made undefined', { a: { toJSON: () => undefined } }, '$.a', 'undefined'],
    ['what toJSON did not make plain', { toJSON: () => new Map() }, '$', 'not_plain'],
  ])('refuses %s and says where', (_, value, path, reason) => {
    expect(refusal(value)).toEqual({ path, reason });
  });

  it('accepts 512 levels and refuses one more', () => {
    expect(canonicalJson(nested(512))).toHaveLength(2 + 256 * 6 + 255 * 2);
    expect(refusal(nested(513))).toMatchObject({ reason: 'too_deep' });
  });

  it('ends for a toJSON that never stops giving objects', () => {
    const endless = { toJSON: () => ({ next: endless }) };
    expect(refusal(endless)).toMatchObject({ reason: 'too_deep' });
  });

  it.each<[CanonicalJsonReason, unknown, string]>([
    ['not_finite', Number.NaN, 'NaN and Infinity are not JSON numbers'],
    ['undefined', undefined, 'undefined has no JSON form'],
    ['bigint', 1n, 'a bigint has no JSON form'],
    ['function', () => 1, 'a function has no JSON form'],
    ['symbol', Symbol('x'), 'a symbol has no JSON form'],
    ['lone_surrogate', '\ud83d', 'half of a surrogate pair is not text'],
    ['invalid_date', new Date(Number.NaN), 'an invalid Date has no JSON form'],
    [
      'not_plain',
      new Map(),
      'only plain objects, arrays, Dates and objects with toJSON have a JSON form',
    ],
    ['cycle', cycle, 'the value contains itself'],
    ['too_deep', nested(512), 'nested deeper than 512 levels'],
  ])('says in its message what is wrong: %s', (reason, value, meaning) => {
    let error: unknown;
    try {
      canonicalJson({ a: value });
    } catch (thrown) {
      error = thrown;
    }
    if (!isCanonicalJsonError(error)) throw error;
    expect(error).toMatchObject({ name: 'CanonicalJsonError', reason });
    expect(error.message).toBe(`${error.path}: ${meaning}`);
    expect(error.path).toMatch(/^\$\.a/);
  });
});

describe('an error of the canonical form', () => {
  it('is known by its brand, whichever copy of the package made it', () => {
    const ofAnotherCopy = { [Symbol.for('holdfast.canonical-json-error')]: true };
    expect(isCanonicalJsonError(ofAnotherCopy)).toBe(true);
    expect(isCanonicalJsonError(new CanonicalJsonError('$', 'cycle'))).toBe(true);
    for (const other of [undefined, null, 'text', 1, {}, new Error('x')]) {
      expect(isCanonicalJsonError(other)).toBe(false);
    }
  });
});

describe('the digest', () => {
  it('is SHA-256 in hexadecimal, of text and of bytes', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256('abc')).toBe(abc);
    expect(sha256(new Uint8Array([0x61, 0x62, 0x63]))).toBe(abc);
  });
});
