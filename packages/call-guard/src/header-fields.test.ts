import { describe, expect, it } from 'vitest';
import { headerFields } from './header-fields.js';

const fields = (source: Parameters<typeof headerFields>[0]) =>
  Object.fromEntries(headerFields(source));

describe('header fields', () => {
  it('are read from Headers, pairs and plain objects, by lower-case name', () => {
    expect(fields(new Headers({ 'Retry-After': '3' }))).toEqual({ 'retry-after': ['3'] });
    expect(fields([['Retry-After', '3']])).toEqual({ 'retry-after': ['3'] });
    expect(fields({ 'Retry-After': '3' })).toEqual({ 'retry-after': ['3'] });
  });

  it('keep each value, as trimmed text', () => {
    expect(
      fields([
        ['a', ' 1 '],
        ['A', ['2', 3]],
      ]),
    ).toEqual({ a: ['1', '2', '3'] });
  });

  it('are nothing but text under names', () => {
    expect(fields([['a', '1'], 'bc', 5, [6, 'd'], null])).toEqual({ a: ['1'] });
    expect(fields({ a: undefined, b: null, c: { d: '1' }, e: [true, '2'] })).toEqual({
      ...{ a: [], b: [], c: [], e: ['2'] },
    });
  });

  it('are not iterated where that is not possible', () => {
    const odd: Readonly<Record<string, unknown>> = { a: '1', [Symbol.iterator]: 'no' };
    expect(fields(odd)).toEqual({ a: ['1'] });
  });
});
