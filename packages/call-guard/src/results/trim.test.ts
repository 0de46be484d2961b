import { describe, expect, it } from 'vitest';
import { jsonBytes } from './json-bytes.js';
import { placeOfLeftOut } from './left-out.js';
import { trim } from './trim.js';

const rows = Array.from({ length: 2_000 }, (_, index) => ({ id: index, name: `row ${index}` }));

describe('MCP-58: a result that is too large', () => {
  it('as a list keeps whole records from its beginning, and says how many are missing', () => {
    const cut: unknown[] = JSON.parse(trim(JSON.stringify(rows), 1_000));
    const shown = cut.slice(0, -1);
    expect(shown).toEqual(rows.slice(0, shown.length));
    expect(shown.length).toBeGreaterThan(20);
    expect(cut.at(-1)).toBe(`[holdfast left out ${2_000 - shown.length} of 2000 items]`);
  });

  it('keeps status and error, though they stand at its end', () => {
    const text = JSON.stringify({ rows, log: 'x'.repeat(5_000), error: 'late', status: 409 });
    const cut = JSON.parse(trim(text, 1_000));
    expect(cut).toMatchObject({ error: 'late', status: 409 });
    expect(cut.rows.length).toBeGreaterThan(5);
    expect(cut.log).toMatch(/^x+\[holdfast left out \d+ of 5000 characters, from \d+ on\]x+$/);
  });

  it('keeps the fields that its entry names before others', () => {
    const text = JSON.stringify({
      noise: 'n'.repeat(100),
      page: { noise: 'n'.repeat(900), order: 'o1', more: 'm'.repeat(900) },
    });
    expect(trim(text, 300)).not.toContain('o1');
    expect(JSON.parse(trim(text, 300, { page: { order: {} } }))).toEqual({
      page: { order: 'o1', '[holdfast]': '[holdfast left out 2 of 3 fields]' },
      '[holdfast]': '[holdfast left out 1 of 2 fields]',
    });
  });

  it('keeps numbers as they were written', () => {
    const text = `{"id":12345678901234567890,"price":1.00,"text":"${'x'.repeat(900)}"}`;
    expect(trim(text, 500)).toContain('{"id":12345678901234567890,"price":1.00,"text":"x');
  });

  it('is never cut inside of an escape', () => {
    const text = JSON.stringify({ text: '\n"\\'.repeat(300) }).replaceAll('\\n', '\\ud83d\\ude00');
    for (let most = 128; most < 400; most += 1) {
      const cut = JSON.parse(trim(text, most));
      expect(JSON.stringify(cut)).not.toContain('\\ud');
      expect(jsonBytes(trim(text, most))).toBeLessThanOrEqual(most);
    }
  });

  it('and deeper than anybody looks is left out where it gets too deep', () => {
    const deep = `${'['.repeat(5_000)}"${'x'.repeat(9_000)}"${']'.repeat(5_000)}`;
    expect(trim(deep, 8_000)).toContain('holdfast left out a value of');
    expect(() => JSON.parse(trim(deep, 8_000))).not.toThrow();
  });

  it('with one name many times is cut all the same', () => {
    const text = `{${Array(3_000).fill('"status":"aaaaaaaa"').join(',')}}`;
    expect(jsonBytes(trim(text, 1_000))).toBeLessThanOrEqual(1_000);
    expect(trim(text, 1_000)).toContain('of 3000 fields');
  });
});

describe('what was left out', () => {
  it('is found wherever it is put into arguments', () => {
    const cut = trim('x'.repeat(900), 300);
    expect(placeOfLeftOut({ file: { lines: ['a', `b ${cut}`] } })).toEqual(['file', 'lines', '1']);
    expect(placeOfLeftOut({ rows: JSON.parse(trim(JSON.stringify(rows), 300)) })?.[0]).toBe('rows');
    expect(placeOfLeftOut(JSON.parse('{"a":{"[holdfast]":1}}'))).toEqual(['a', '[holdfast]']);
    expect(placeOfLeftOut({ text: 'what holdfast left out', n: 1, none: null })).toBeUndefined();
  });
});
