import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.js';
import { isKept, MemberMemo } from './member-memo.js';

describe('a memo of members', () => {
  it('changes no fingerprint, whatever was read with it before', () => {
    const words = fc.constantFrom('', 'a', 'b', 'ab', 'a'.repeat(64), 'a'.repeat(65));
    const small = fc.oneof(
      words,
      fc.constantFrom(0, -0, 1, 0.5, Number.NaN, null, true, undefined),
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.array(small, { maxLength: 80 }),
      fc.dictionary(words, small),
      fc.dictionary(words, fc.oneof(small, fc.array(small), fc.dictionary(words, small))),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 6 }), words, (values, name) => {
        const memo = new MemberMemo();
        for (const one of [...values, ...values]) {
          expect(fingerprintOf(name, one, memo)).toEqual(fingerprintOf(name, one));
        }
      }),
      { seed: 1 },
    );
  });

  it('sees what was changed in place, and what was left half read', () => {
    const memo = new MemberMemo();
    const one = { a: 1, list: [{ b: 1 }] };
    const before = fingerprintOf('it', one, memo);
    one.list[0] = { b: 2 };
    expect(fingerprintOf('it', one, memo)).not.toEqual(before);
    const broken = {
      c: 1,
      toJSON: () => {
        throw new Error('no');
      },
    };
    fingerprintOf('it', { list: [broken], a: 1 }, memo);
    const other = { list: [{ c: 2 }], a: 1 };
    expect(fingerprintOf('it', other, memo)).toEqual(fingerprintOf('it', other));
  });

  it('has 64 places', () => {
    const memo = new MemberMemo();
    const places = Array.from({ length: 66 }, (_, at) => memo.at(at));
    expect(places.filter((place) => place !== undefined)).toHaveLength(64);
    expect(memo.at(63)).toBe(places[63]);
    expect(memo.at(64)).toBeUndefined();
  });

  it('keeps nothing that can be changed, and no text of more than 64 characters', () => {
    const kept = ['a'.repeat(64), 1, Number.NaN, true, null, undefined, 1n];
    expect(kept.filter((value) => !isKept(value))).toEqual([]);
    expect(['a'.repeat(65), {}, [], () => 1].filter(isKept)).toEqual([]);
  });
});
