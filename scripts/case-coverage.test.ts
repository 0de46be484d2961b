import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { casesPage, type FieldCase, type TestFile } from './case-coverage.js';

const page = (cases: readonly FieldCase[], tests: readonly TestFile[]): string =>
  casesPage(
    {
      families: [
        { prefix: 'LG', title: 'Agents', cases },
        { prefix: 'MCP', title: 'Servers', waitsFor: 'its package' },
      ],
    },
    tests,
    'docs',
  );
const rowsOf = (text: string): string[] => text.split('\n').filter((line) => /^\| LG/.test(line));

describe('the page of the cases', () => {
  it('has what goes wrong, the tests that name it, what waits and what is different', () => {
    const text = page(
      [
        { id: 'LG-01', title: 'One.' },
        { id: 'LG-02', title: 'Two.', waitsFor: 'undo' },
        { id: 'LG-03', title: 'Three.', waitsFor: 'undo', differs: 'Reads are not shared.' },
      ],
      [
        { path: 'test/cases/b.test.ts', titles: ['LG-01: x', 'LG-01, LG-03: y'] },
        { path: 'packages/p/src/run/a.test.ts', titles: ['it is so (LG-01)'] },
      ],
    );
    expect(rowsOf(text)).toEqual([
      '| LG-01 | One. | [p/run/a](../packages/p/src/run/a.test.ts)<br>[cases/b](../test/cases/b.test.ts) |  |',
      '| LG-02 | Two. |  | waits for undo |',
      '| LG-03 | Three. | [cases/b](../test/cases/b.test.ts) | the rest waits for undo<br>Reads are not shared. |',
    ]);
    expect(text).toContain('3 cases, 2 with tests.');
    expect(text).toContain('These wait for its package.');
  });

  it('is refused where an id is unknown, untested or listed twice, with all of them', () => {
    const two = { id: 'LG-02', title: 'Two.', waitsFor: 'undo' };
    const make = (): string =>
      page(
        [{ id: 'LG-01', title: 'One.' }, two, two],
        [{ path: 'a.test.ts', titles: ['LG-04: x', 'LG-02: y', 'MCP-1 is not listed yet'] }],
      );
    expect(make).toThrow(
      [
        'LG-02 is listed twice',
        'LG-04 is not listed, and a.test.ts names it',
        'no test names LG-01, and it waits for nothing',
      ].join('\n'),
    );
  });

  it('in docs/ is what the tests say', async () => {
    const program = fileURLToPath(new URL('./cases-page.ts', import.meta.url));
    await promisify(execFile)(process.execPath, ['--import', 'tsx', program, '--check'], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
  });
});
