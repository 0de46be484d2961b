import { describe, expect, it } from 'vitest';
import { readCommandLine } from './command-line.js';

const read = (...argv: string[]) => readCommandLine(['node', 'effect-ledger', ...argv]);

describe('a command line', () => {
  it('is read with its defaults', () => {
    expect(read('list', 'agent.db')).toEqual({
      ...{ command: 'list', file: 'agent.db', limit: 20, json: false },
    });
    expect(read('show', 'agent.db', 'T1', '--args')).toEqual({
      ...{ command: 'show', file: 'agent.db', what: 'T1', args: true, json: false },
    });
  });

  it('keeps every text as it was given, those that look like numbers too', () => {
    expect(read('show', '1e3', '007')).toMatchObject({ file: '1e3', what: '007' });
    expect(read('list', 'agent.db', '--thread', '007', '--run=1e999', '--limit=5')).toMatchObject({
      ...{ thread: '007', run: '1e999', limit: 5 },
    });
    expect(read('find', 'agent.db', '--key', '0x10', '--arg', 'id=007', '--arg=n=1')).toMatchObject(
      {
        key: '0x10',
        args: [
          { name: 'id', values: ['007'] },
          { name: 'n', values: ['1', 1] },
        ],
      },
    );
  });

  it.each<[readonly string[], string]>([
    [[], 'no command is given'],
    [['agent.db'], 'there is no command agent.db'],
    [['7'], 'there is no command 7'],
    [['list'], 'missing required args'],
    [['list', ''], 'no file is given'],
    [['list', 'agent.db', '--sate', 'unknown'], 'Unknown option `--sate`'],
    [['list', 'agent.db', '--state', 'lost'], 'there is no state lost'],
    [['list', 'agent.db', '--limit', '0'], '--limit is 0'],
    [['list', 'agent.db', '--limit', '1.5'], '--limit is 1.5'],
    [['list', 'agent.db', '--json=yes'], 'Unused args: `yes`'],
    [['show', 'agent.db'], 'missing required args'],
    [['show', 'agent.db', ''], 'nothing is given to show'],
    [['show', 'agent.db', 'run-1', '7'], 'Unused args: `7`'],
    [['find', 'agent.db'], 'find needs to know what to look for'],
    [['find', 'agent.db', '--arg', 'cents'], '--arg cents names no argument'],
    [['find', 'agent.db', '--tool', 'a', '--tool', 'b'], '--tool is given more than once'],
    [['find', 'agent.db', '--tool'], 'value is missing'],
    [['find', 'agent.db', ...Array(11).fill('--arg=a=1')], '--arg is given 11 times'],
  ])('that cannot be followed is refused: %j', (argv, reason) => {
    let thrown: unknown;
    try {
      read(...argv);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'CommandError', fix: expect.stringMatching(/\w/) });
    expect(thrown).toHaveProperty('reason', expect.stringContaining(reason));
  });
});
