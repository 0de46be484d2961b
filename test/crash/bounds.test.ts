import { describe, expect, it } from 'vitest';
import { brokenBounds } from './bounds.js';
import { cellFilter } from './cell-filter.js';
import { allCells, type Cell } from './cells.js';
import type { CountedCell, CrashTable } from './run-table.js';

const cell = {
  agent: 'createAgent',
  class: 'irreversible',
  durability: 'sync',
  saver: 'fast',
  point: 'during-effect',
} as const satisfies Cell;
const good: CountedCell = { ...cell, plain: 2, guarded: 1, resentUnknown: 0, status: 'partial' };

function tableOf(change: Partial<CountedCell>, maxEffectsPerKey = 2): CrashTable {
  return { cells: [{ ...good, ...change }], mutant: { maxEffectsPerKey }, kills: 3, seconds: 1 };
}

describe('the bounds of the table', () => {
  const name = 'createAgent, irreversible, sync, fast saver, killed during-effect';

  it.each([
    ['nothing', tableOf({}), []],
    ['a second effect', tableOf({ guarded: 2 }), [`${name}: 2 effects`]],
    [
      'an unknown call sent again',
      tableOf({ resentUnknown: 1 }),
      [`${name}: sent again with an unknown outcome`],
    ],
    [
      'a stock agent that repeats nothing',
      tableOf({ plain: 1 }),
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
    expect(brokenBounds(tableOf({ point: 'after-checkpoint', plain: 1 }))).toEqual([]);
  });
});

describe('the cells', () => {
  it('are every combination', () => {
    expect(new Set(allCells.map((one) => JSON.stringify(one))).size).toBe(2 * 4 * 2 * 2 * 6);
  });

  it('are chosen by dimension; a dimension given twice takes both values', () => {
    const chosen = allCells.filter(
      cellFilter(
        'agent=StateGraph,saver=slow,durability=sync,class=undeclared,point=after-claim,point=after-settle',
      ),
    );
    const common = { ...cell, agent: 'StateGraph', saver: 'slow', class: 'undeclared' };
    expect(chosen).toEqual([
      { ...common, point: 'after-claim' },
      { ...common, point: 'after-settle' },
    ]);
  });
});
