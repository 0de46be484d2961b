import { describe, expect, it } from 'vitest';
import { readCommandLine } from './command-line.js';

const read = (...args: readonly string[]) =>
  readCommandLine(['node', 'tool-registry', ...args], '1.2.3');

describe('a command line', () => {
  it('has defaults', () => {
    expect(read('check')).toEqual({
      asks: 'check',
      files: [],
      settings: { format: 'text', strict: false },
    });
    expect(read('docs')).toEqual({
      asks: 'docs',
      files: [],
      settings: { as: 'markdown', check: false, stats: false, json: false },
    });
  });

  it('names files and options in any order', () => {
    expect(read('check', 'a.ts', '--strict', 'b.ts', '--format=json')).toEqual({
      asks: 'check',
      files: ['a.ts', 'b.ts'],
      settings: { format: 'json', strict: true },
    });
    expect(read('docs', '--out', '7', '--check', '--as', 'mcp', '--', '--odd.ts')).toEqual({
      asks: 'docs',
      files: ['--odd.ts'],
      settings: { as: 'mcp', out: '7', check: true, stats: false, json: false },
    });
  });

  it.each([
    [[], 'Which command? There are init, check, docs, lock, diff.'],
    [['chek'], 'There is no command chek. Did you mean check?'],
    [['publish'], 'There is no command publish. There are init, check, docs, lock, diff.'],
    [['check', '--loud'], 'Unknown option `--loud`.'],
    [['check', '--as', 'json'], 'Unknown option `--as`.'],
    [['check', '--format', 'xml'], '--format takes text, json, github, not "xml".'],
    [['check', '--format'], 'option `--format <name>` value is missing.'],
    [['check', '--strict=1'], '--strict is given once, without a value.'],
    [['check', '--strict', '--strict'], '--strict is given once, without a value.'],
    [['docs', 'a', 'b'], 'Unused args: `b`.'],
    [['docs', '--out'], 'option `--out <file>` value is missing.'],
    [['docs', '--out', 'a', '--out', 'b'], '--out takes one path.'],
    [['init'], 'Of which tools? Give --mcp <server> or --langchain <file>.'],
    [
      ['init', '--mcp', 'a', '--langchain', 'b'],
      'Of which tools? Give --mcp <server> or --langchain <file>.',
    ],
    [['docs', '--check'], '--check compares with a file: name it with --out.'],
    [['docs', '--json'], '--json is for the numbers of --stats. For docs in JSON give --as json.'],
  ])('%j cannot be followed', (args, message) => {
    expect(read(...args)).toEqual({
      asks: 'misuse',
      message: `${message} See tool-registry --help.`,
    });
  });
});
