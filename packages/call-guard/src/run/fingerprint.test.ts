import { canonicalJson } from '@holdfast/tool-registry';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf as fingerprintOfNamed } from './fingerprint.js';

const fingerprintOf = (value: unknown) => fingerprintOfNamed('it', value);

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, inner]) => [name, reversed(inner)]));
}

const json = fc.jsonValue({ maxDepth: 4 });

describe('a fingerprint', () => {
  it('is the same for equal values, whatever the order of their keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(fingerprintOf(reversed(value))).toEqual(fingerprintOf(value));
        expect(fingerprintOf(structuredClone(value))).toEqual(fingerprintOf(value));
      }),
    );
  });

  it('differs where the canonical forms differ', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        fc.pre(canonicalJson(one) !== canonicalJson(other));
        expect(fingerprintOf(one)).not.toEqual(fingerprintOf(other));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not collide among many that differ little', () => {
    const seen = new Set<string>();
    const add = (value: unknown) => seen.add(JSON.stringify(fingerprintOf(value)));
    for (let id = 0; id < 100_000; id += 1) add({ id, page: id % 7 });
    for (let id = 0; id < 100_000; id += 1) add({ id: `o${id}`, page: 1 });
    expect(seen.size).toBe(200_000);
  });

  it.each<[string, unknown, unknown]>([
    ['a number and its text', 1, '1'],
    ['null and false', null, false],
    ['a list and its item', [1], 1],
    ['lists of lists', [[1], [2]], [[1, 2]]],
    ['texts that run together', ['ab', 'c'], ['a', 'bc']],
    ['a name and a value', { a: 'b' }, { b: 'a' }],
    ['which name has which value', { a: 1, b: 2 }, { a: 2, b: 1 }],
    ['where a property is', { a: { b: 1 }, c: {} }, { a: {}, c: { b: 1 } }],
    ['an empty object and an empty list', {}, []],
    ['fractions', 0.1, 0.2],
    ['large numbers', 2 ** 32, 0],
    ['bigints', 1n, 2n],
    ['a list and an object with its numbers', ['a'], { 0: 'a' }],
    ['the order of items', ['a', 'b'], ['b', 'a']],
  ])('tells apart %s', (_, one, other) => {
    expect(fingerprintOf(one)).not.toEqual(fingerprintOf(other));
  });

  it('reads what JSON reads', () => {
    const at = new Date(0);
    expect(fingerprintOf({ a: 1, b: undefined })).toEqual(fingerprintOf({ a: 1 }));
    expect(fingerprintOf({ at })).toEqual(fingerprintOf({ at: at.toISOString() }));
    expect(fingerprintOf(-0)).toEqual(fingerprintOf(0));
    const own = { a: 1, toJSON: () => [1, 'b'], b: 2 };
    expect(fingerprintOf(own)).toEqual(fingerprintOf([1, 'b']));
    expect(fingerprintOf({ toJSON: 'no function' })).not.toEqual(fingerprintOf({}));
  });

  it('is of a value by its name', () => {
    expect(fingerprintOfNamed('a', 1)).not.toEqual(fingerprintOfNamed('b', 1));
  });

  it('ends for what contains itself, and for what cannot be read', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const broken = {
      toJSON: () => {
        throw new Error('no');
      },
    };
    expect(fingerprintOf(cycle)).toEqual(fingerprintOf(broken));
  });
});
