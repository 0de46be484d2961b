import { describe, expect, it } from 'vitest';
import type { ArgumentIssue, ArgumentRules } from './argument-rules.js';
import { checkArguments } from './check-arguments.js';

const issue = (path: readonly PropertyKey[], more: Partial<ArgumentIssue> = {}): ArgumentIssue => ({
  path,
  message: 'wrong',
  expected: [],
  refusesNull: false,
  ...more,
});

/** Rules that find what a function finds. */
const rules = (check: ArgumentRules['check']): ArgumentRules => ({
  check,
  unknown: () => [],
  names: new Set(['n']),
});
const member = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;

describe("a tool's own rules", () => {
  it('leave what they allow as it is, and take nothing for no arguments', () => {
    const args = { n: '42' };
    expect(
      checkArguments(
        rules(() => []),
        args,
      ),
    ).toEqual({
      ok: true,
      args,
      input: args,
      repairs: [],
    });
    expect(
      checkArguments(
        rules(() => []),
        null,
      ),
    ).toMatchObject({ input: {} });
  });

  it('lead to the same repairs as a schema of zod', async () => {
    const numeric = rules((input) =>
      typeof member(input, 'n') === 'number'
        ? []
        : [issue(['n'], { expected: ['integer', 'null'] })],
    );
    expect(await checkArguments(numeric, { n: '42' })).toEqual({
      ok: true,
      args: { n: 42 },
      input: { n: 42 },
      repairs: ['n: text read as integer'],
    });
    const optional = rules((input) =>
      member(input, 'n') === null ? [issue(['n'], { refusesNull: true })] : [],
    );
    expect(await checkArguments(optional, { n: null })).toMatchObject({
      input: {},
      repairs: ['n: null left out'],
    });
  });

  it('tell of what no repair makes right as it came', async () => {
    const never = rules(() => [issue(['n'], { expected: ['integer'] }), issue(['m'])]);
    const given = { n: '42', m: 1 };
    expect(await checkArguments(never, given)).toEqual({
      ok: false,
      problems: [
        { path: ['n'], message: 'wrong' },
        { path: ['m'], message: 'wrong' },
      ],
    });
    expect(given).toEqual({ n: '42', m: 1 });
  });
});
