import { describe, expect, it } from 'vitest';
import { chosenCells } from './cell-filter.js';
import { type Cell, dimensions, impossible, longForm, shortForm } from './cells.js';
import { promiseOf } from './promise.js';

const names = Object.keys(dimensions) as (keyof Cell)[];

/** Every combination of values of some dimensions that a table should hold. */
function combinations(of: readonly (keyof Cell)[]): readonly Partial<Cell>[] {
  return of
    .reduce<readonly Partial<Cell>[]>(
      (made, name) =>
        made.flatMap((some) => dimensions[name].map((value) => ({ ...some, [name]: value }))),
      [{}],
    )
    .filter((some) => !impossible.some(({ cells }) => holds(some, cells)));
}

function holds(cell: Partial<Cell>, part: Partial<Cell>): boolean {
  return names.every((name) => part[name] === undefined || cell[name] === part[name]);
}

function missingIn(cells: readonly Cell[], wanted: readonly Partial<Cell>[]) {
  return wanted.filter((part) => !cells.some((cell) => holds(cell, part)));
}

describe('the cells', () => {
  const long = longForm();

  it('of the long form hold every three values together, but for what cannot be', () => {
    const triples = names.flatMap((one, i) =>
      names
        .slice(i + 1)
        .flatMap((two, j) => names.slice(i + j + 2).map((three) => [one, two, three])),
    );
    expect(triples).toHaveLength(35);
    expect(missingIn(long, triples.flatMap(combinations))).toEqual([]);
    expect(long.filter((cell) => impossible.some(({ cells }) => holds(cell, cells)))).toEqual([]);
    expect(long.length).toBeLessThan(300);
  });

  it('of the short form hold every two', () => {
    const pairs = names.flatMap((one, i) => names.slice(i + 1).map((two) => [one, two]));
    expect(missingIn(shortForm(), pairs.flatMap(combinations))).toEqual([]);
    expect(shortForm().length).toBeLessThan(70);
  });

  it('are the same whenever they are chosen, and each is there once', () => {
    expect(longForm()).toEqual(long);
    expect(new Set(long.map((cell) => JSON.stringify(cell))).size).toBe(long.length);
  });

  it('promise at most one effect for each wish', () => {
    expect(Math.max(...long.flatMap((cell) => promiseOf(cell).effects))).toBe(1);
  });
});

describe('the filter', () => {
  const one = {
    agent: 'StateGraph with ToolNode',
    calls: 'two at once',
    durability: 'sync',
    saver: 'slow',
    class: 'undeclared',
    next: 'sent again',
  } as const;
  const text = Object.entries(one).map(([name, value]) => `${name}=${value}`);

  it('takes cells of the table; a dimension given twice takes both values', () => {
    const chosen = chosenCells('agent=entrypoint,point=after-claim,point=after-settle');
    expect(chosen.length).toBeGreaterThanOrEqual(2 * 4);
    expect(chosen.map(({ agent }) => agent)).toEqual(chosen.map(() => 'entrypoint'));
    expect(new Set(chosen.map(({ point }) => point))).toEqual(
      new Set(['after-claim', 'after-settle']),
    );
  });

  it('takes every combination that fits where the table has none', () => {
    const chosen = chosenCells([...text, 'point=after-claim', 'point=after-settle'].join());
    expect(chosen).toEqual([
      { ...one, point: 'after-claim' },
      { ...one, point: 'after-settle' },
    ]);
  });

  it('says what it does not know', () => {
    expect(() => chosenCells('class=odd')).toThrow(
      '--only: class “odd” is none of idempotent-write',
    );
    expect(() => chosenCells('lunch=now')).toThrow('--only: “lunch” is none of agent, calls');
  });

  it('says where nothing is left', () => {
    expect(() => chosenCells('durability=exit,point=after-pending-write')).toThrow(
      'there is no such moment',
    );
  });
});
