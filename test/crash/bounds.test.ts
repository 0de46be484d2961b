import { describe, expect, it } from 'vitest';
import { brokenBounds } from './bounds.js';
import type { Cell } from './cells.js';
import type { CountedCell, CrashTable } from './run-table.js';

const cell = {
  agent: 'createAgent v2',
  calls: 'two in turn',
  durability: 'sync',
  saver: 'fast',
  class: 'irreversible',
  next: 'resume',
  point: 'during-effect',
} as const satisfies Cell;
const good: CountedCell = {
  ...cell,
  plain: [2, 2],
  guarded: [1, 1],
  resent: 0,
  status: 'partial',
  flaws: [],
};

function tableOf(change: Partial<CountedCell>, mutant = 2): CrashTable {
  const maxEffectsPerKey = { guarded: 1, mutant };
  return { cells: [{ ...good, ...change }], maxEffectsPerKey, kills: 3, seconds: 1 };
}

describe('the bounds of the table', () => {
  const name =
    'createAgent v2, two in turn, sync, fast saver, irreversible, killed during-effect, resume';

  it.each([
    ['nothing', tableOf({}), []],
    ['a second effect', tableOf({ guarded: [1, 2] }), [`${name}: effects 1, 2 instead of 1, 1`]],
    [
      'an effect that is lost',
      tableOf({ guarded: [1, 0] }),
      [`${name}: effects 1, 0 instead of 1, 1`],
    ],
    [
      'a report that says too much',
      tableOf({ status: 'complete' }),
      [`${name}: reported as complete instead of partial`],
    ],
    ['a call that is sent again', tableOf({ resent: 1 }), [`${name}: sent again 1 times`]],
    [
      'a history that no provider takes',
      tableOf({ flaws: ['call 1 is unanswered'] }),
      [`${name}: call 1 is unanswered`],
    ],
    [
      'a stock agent that repeats nothing',
      tableOf({ plain: [1, 1] }),
      ['the stock agent repeats nothing: the table does not show what it is for'],
    ],
    [
      'a mutant that survives',
      tableOf({}, 1),
      ['without the write-ahead nothing is done twice: the table could not see it'],
    ],
  ])('are broken by %s', (_, table, broken) => {
    expect(brokenBounds(table)).toEqual(broken);
  });

  it('do not ask of the stock agent what the chosen points cannot show', () => {
    const later = { point: 'after-checkpoint', plain: [1, 1], status: 'complete' } as const;
    expect(brokenBounds(tableOf(later))).toEqual([]);
  });
});
