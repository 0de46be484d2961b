import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.js';
import { remember, TextMemo } from './text-memo.js';

describe('a memo of texts', () => {
  it('changes no fingerprint, whatever was read with it before', () => {
    const words = fc.constantFrom('', 'a', 'b', 'ab', 'a'.repeat(64), 'a'.repeat(65));
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.array(words, { maxLength: 80 }),
      fc.dictionary(words, words),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 6 }), (values) => {
        const memo = new TextMemo();
        for (const one of [...values, ...values]) {
          expect(fingerprintOf(one, memo)).toEqual(fingerprintOf(one));
        }
      }),
      { seed: 1 },
    );
  });

  it('has 64 places', () => {
    const memo = new TextMemo();
    const places = Array.from({ length: 66 }, (_, at) => memo.at(at));
    expect(places.filter((place) => place !== undefined)).toHaveLength(64);
    expect(memo.at(63)).toBe(places[63]);
    expect(memo.at(64)).toBeUndefined();
  });

  it('holds no text of more than 64 characters, and not what stood there before it', () => {
    const place = new TextMemo().at(0);
    if (place === undefined) throw new Error('it has a first place');
    remember(place, 'a'.repeat(64), 1, 2);
    expect(place).toEqual({ text: 'a'.repeat(64), a: 1, b: 2 });
    remember(place, 'a'.repeat(65), 3, 4);
    expect(place.text).toBeUndefined();
  });
});
