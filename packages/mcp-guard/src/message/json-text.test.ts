import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, lossyNumber, membersOf, withMember } from './json-text.js';

const spaced = fc
  .tuple(fc.jsonValue(), fc.constantFrom(0, 2))
  .map(([value, indent]) => ({ value, text: JSON.stringify(value, undefined, indent) }));

describe('the members of a JSON text', () => {
  it('are the texts of their values, however they are written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(0, 1),
        (object, n) => {
          const members = membersOf(JSON.stringify(object, undefined, n));
          const values = [...members].map(([name, text]) => [name, JSON.parse(text)] as const);
          expect(new Map(values)).toEqual(
            new Map(Object.entries(JSON.parse(JSON.stringify(object)))),
          );
        },
      ),
    );
  });

  it('keep numbers and escapes as they were written', () => {
    const members = membersOf('{"a": 1.0e+2 ,"b\\"":"\\u0041\\\\","c":{"d":[1,"}"]} , "e":null}');
    expect([...members]).toEqual([
      ['a', '1.0e+2'],
      ['b"', '"\\u0041\\\\"'],
      ['c', '{"d":[1,"}"]}'],
      ['e', 'null'],
    ]);
  });

  it('count by the last of equal names', () => {
    expect(membersOf('{"a":1,"a":2}').get('a')).toBe('2');
  });

  it('can be set, and the others stay as they are', () => {
    expect(withMember('{"a": 1.0,"b":2}', 'b', '"x"')).toBe('{"a":1.0,"b":"x"}');
    expect(withMember('{}', 'b', '1')).toBe('{"b":1}');
  });
});

it('the elements of an array are the texts of its values', () => {
  fc.assert(
    fc.property(fc.array(spaced), (items) => {
      const texts = elementsOf(`[ ${items.map(({ text }) => text).join(' , ')} ]`);
      expect(texts).toEqual(items.map(({ text }) => text));
    }),
  );
});

describe('a number that JavaScript cannot hold', () => {
  it.each([
    '12345678901234567890',
    '{"a":[1,-12345678901234567891]}',
    '0.12345678901234567890123',
    '1e400',
  ])('is found in %s', (text) => {
    expect(lossyNumber(text)).toBe(/-?\d[\d.e]{4,}/.exec(text)?.[0]);
  });

  it.each(['[0, -0, 1.50, 1e3, 9007199254740991]', '"12345678901234567890"', '{"a":true}'])(
    'is not in %s',
    (text) => {
      expect(lossyNumber(text)).toBeUndefined();
    },
  );

  it('is none that JavaScript printed itself', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(lossyNumber(JSON.stringify(number))).toBeUndefined();
      }),
    );
  });
});
