import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Cell, dimensions, longForm } from './cells.js';
import { cellsOnPage, crashPage, pageFile } from './crash-page.js';
import { promiseOf } from './promise.js';

const page = readFileSync(pageFile, 'utf8');
const shown = cellsOnPage(page);
const lines = (cells: readonly Cell[]) =>
  cells
    .map((cell) =>
      Object.keys(dimensions)
        .map((name) => cell[name as keyof Cell])
        .join(', '),
    )
    .sort();

describe('docs/crash-table.md', () => {
  it('has the cells of the table, each with what is promised of it', () => {
    expect(lines(shown)).toEqual(lines(longForm()));
    for (const cell of shown) {
      const { effects, status } = promiseOf(cell);
      expect(cell).toMatchObject({ guarded: effects.join(', '), report: status });
    }
  });

  it('says around them what the table is now', () => {
    const [, plain, mutant] = /stock agent \| (\d+) \|\n[^|]*\|[^|]*\| (\d+) \|/.exec(page) ?? [];
    const [, kills] = /(\d+) processes were killed/.exec(page) ?? [];
    const counted = longForm().map((cell) => ({
      ...cell,
      guarded: promiseOf(cell).effects,
      status: promiseOf(cell).status,
      resent: 0,
      flaws: [],
    }));
    const made = crashPage({
      cells: counted,
      maxEffectsPerKey: { plain: Number(plain), guarded: 1, mutant: Number(mutant) },
      kills: Number(kills),
      seconds: 0,
    });
    const [text] = made.split('\n## The cells\n');
    expect(page.split('\n## The cells\n')[0]).toBe(text);
  });
});
