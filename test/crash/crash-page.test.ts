import { describe, expect, it } from 'vitest';
import { longForm } from './cells.js';
import { cellsOnPage, crashPage } from './crash-page.js';
import { promiseOf } from './promise.js';

describe('the page of the table', () => {
  it('shows each cell with what came of it', () => {
    const cells = longForm().map((cell) => {
      const { effects: guarded, status } = promiseOf(cell);
      return { ...cell, plain: guarded, guarded, status, resent: 0, flaws: [] };
    });
    const maxEffectsPerKey = { plain: 3, guarded: 1, mutant: 2 };
    const page = crashPage({ cells, maxEffectsPerKey, kills: 0, seconds: 0 });
    const shown = cellsOnPage(page);
    expect(shown).toHaveLength(cells.length);
    for (const { plain, guarded, status, resent, flaws, ...cell } of cells) {
      expect(shown).toContainEqual({ ...cell, guarded: guarded.join(', '), report: status });
    }
  });
});
