import { describe, expect, it } from 'vitest';
import { anything } from './anything.js';

/** As a mapping uses a value of which it believes everything. */
const use = (code: string, value: unknown): unknown =>
  new Function('value', `return ${code}`)(value);

describe('a value that stands for any', () => {
  it.each([
    'value.a.b().c[0].d.e()',
    '[...value.rows].map((row) => row.id).join()',
    'value.name + String(value.of) + (value.count + 1)',
    '"a" in value && { ...value.part }',
    'JSON.stringify({ value })',
    '(({ a: { b: [c] } }) => c)(value)',
    '(() => { let at = value; while (at?.next) at = at.next; return 1 })()',
    '(() => { let at = value; while (at?.next) at = at.next(); return 1 })()',
  ])('bears %s', (code) => {
    expect(() => use(code, anything())).not.toThrow();
  });

  it('has the same value in the same place, and is no promise', async () => {
    const value = anything();
    expect(use('value.a.b === value.a.b && value.a !== value.b', value)).toBe(true);
    expect(await value).toBe(value);
  });

  it('tells when it is read, and only then', () => {
    for (const [code, reads] of [
      ['({ value })', false],
      ['(({ part }) => part)({ part: value })', false],
      ['value.a', true],
      ['({ ...value })', true],
      ['String(value)', true],
    ] as const) {
      let read = false;
      const value = anything(() => {
        read = true;
      });
      use(code, value);
      expect([code, read]).toEqual([code, reads]);
    }
  });
});
