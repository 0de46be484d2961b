import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../index.js';
import { findingsOf, helper, write } from './one-tool.fixture.js';

/** As a mapping in plain JavaScript sees what was there: with any property. */
interface Former {
  readonly [name: string]: Former | undefined;
}
interface Effect {
  readonly args: { readonly id: string; readonly note: string };
  readonly result: Former;
  readonly before: Former;
}
const undo = { strength: 'strong', within: '1h' } as const;

function findings(args: (effect: Effect) => unknown, capture: 'captured' | 'nothing' = 'nothing') {
  const tool = defineTool({
    ...write,
    name: 'set_row',
    compensation: { ...undo, tool: 'set_row', args },
    ...(capture === 'captured' && {
      capture: { tool: helper, args: ({ args }: Pick<Effect, 'args'>) => args },
    }),
  });
  return findingsOf('undo-former-value', helper, tool);
}
const field = 'tools.set_row.compensation.args';
const fix = 'give a capture that reads the former state, and take it from `before`';
const same = [`${field}: it makes the same call again, with nothing of the former state. ${fix}`];

describe('an undo that needs a former value', () => {
  it('must have it captured', () => {
    const missing = [`${field}: it needs \`before\`, but nothing is captured. ${fix}`];
    expect(findings(({ args, before }) => ({ ...args, note: before.note }))).toEqual(missing);
    expect(findings(({ before: { note } }) => ({ note }))).toEqual(missing);
    expect(findings(({ args, before }) => ({ ...args, note: before.note }), 'captured')).toEqual(
      [],
    );
  });

  it('may live without it', () => {
    expect(findings(({ args, before }) => ({ id: args.id, note: before?.note ?? '' }))).toEqual([]);
  });

  it('does not make the same call again', () => {
    expect(findings(({ args }) => args)).toEqual(same);
    expect(findings(({ args }) => ({ ...args }))).toEqual(same);
    expect(findings(({ args }) => ({ note: args.note, id: args.id }), 'captured')).toEqual(same);
  });

  it('may take it from the result, from a capture, or out of the arguments', () => {
    expect(findings(({ args, result }) => ({ id: args.id, note: result.former }))).toEqual([]);
    expect(findings(({ args, before }) => ({ ...args, ...before }), 'captured')).toEqual([]);
    expect(findings(({ args }) => ({ id: args.id, note: `not ${args.note}` }))).toEqual([]);
    expect(findings(({ args }) => ({ id: args.id, note: '' }))).toEqual([]);
  });

  it('is another matter where another tool undoes it', () => {
    const lock = defineTool({
      ...write,
      name: 'lock',
      compensation: { ...undo, tool: 'release', args: ({ args }) => args },
    });
    const release = defineTool({ ...write, name: 'release' });
    expect(findingsOf('undo-former-value', lock, release)).toEqual([]);
  });

  it('is not judged by a mapping that cannot be tried', () => {
    const dates = (effect: Effect) => ({ at: new Date(effect.args.id).toISOString() });
    expect(findings(dates)).toEqual([]);
    expect(
      findings((effect) => ({ at: new Date(String(effect.before.at)).toISOString() })),
    ).toEqual([]);
    const walking = ({ args, before }: Effect) => {
      let at = before;
      while (at.next) at = at.next;
      return { ...args, note: at };
    };
    expect(findings(walking, 'captured')).toEqual([]);
  });

  it('says nothing of an input whose arguments are not known', () => {
    const open = defineTool({
      ...write,
      name: 'set_any',
      input: z.record(z.string(), z.string()),
      compensation: { ...undo, tool: 'set_any', args: ({ args }) => args },
    });
    expect(findingsOf('undo-former-value', open)).toEqual([]);
  });
});
