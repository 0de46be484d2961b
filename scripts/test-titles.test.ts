import { describe, expect, it } from 'vitest';
import { testTitles } from './test-titles.js';

const titles = (text: string): string[] => testTitles('some.test.ts', text);

describe('the titles of a test file', () => {
  it('are those of its suites and tests, however deep', () => {
    const text = `
      describe('a', () => {
        it('b', () => {});
        test(\`c \${n} d\`, async () => { it('e'); });
      });`;
    expect(titles(text)).toEqual(['a', 'b', 'c … d', 'e']);
  });

  it('are not what is said in comments, in other strings or by other functions', () => {
    const text = `
      // it('a', () => {});
      const b = "it('b')";
      item('c');
      thing.it('d');
      run(() => check('e'));`;
    expect(titles(text)).toEqual([]);
  });

  it('are not those of tests that are skipped or only planned, nor of what is in them', () => {
    const text = `
      it.skip('a', () => {});
      it.todo('b');
      describe.skip('c', () => { it('d', () => {}); });
      it.skipIf(cond)('e', () => {});
      it.only('f', () => {});`;
    expect(titles(text)).toEqual(['e', 'f']);
  });

  it('are given under other names, too', () => {
    const text = `
      describe('a', () => {
        const flows = it.skipIf(true);
        flows('b', () => {});
        flows.each([1])('c', () => {});
        const planned = it.skip;
        planned('d', () => {});
      });`;
    expect(titles(text)).toEqual(['a', 'b', 'c']);
  });

  it('are those of a table, where the title takes them from there', () => {
    const text = `
      it.each(['a', 'b'])('%s', () => {});
      it.each([['c', 1], ['d', 2]] as const)('%s is %d', () => {});
      const rows = [{ name: 'e', other: 'not this' }];
      describe.each(rows)('$name', () => {});
      it.each(['not told'])('f', () => {});
      it.each(made())('g %s', () => {});
      it.each(made.map((one) => [\`\${caseOf(one)}: h\`]))('%s', () => {});
      function caseOf(one) {
        if (one.far) return 'i';
        return one.slow ? 'j' : 'k';
      }`;
    expect(titles(text)).toEqual([
      '%s',
      'a',
      'b',
      '%s is %d',
      'c',
      'd',
      '$name',
      'e',
      'f',
      'g %s',
      '%s',
      'i',
      'j',
      'k',
    ]);
  });
});
