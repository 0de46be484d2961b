import { nameOfCell } from './cells.js';
import type { CrashTable } from './run-table.js';

/** What the table promises and a run of it did not keep; empty when all is well. */
export function brokenBounds({ cells, mutant }: CrashTable): readonly string[] {
  const repeats = cells.filter(
    ({ point }) => point === 'during-effect' || point === 'after-effect',
  );
  return [
    ...cells
      .filter(({ guarded }) => guarded > 1)
      .map((cell) => `${nameOfCell(cell)}: ${cell.guarded} effects`),
    ...cells
      .filter((cell) => cell.resentUnknown > 0)
      .map((cell) => `${nameOfCell(cell)}: sent again with an unknown outcome`),
    ...(repeats.length > 0 && repeats.every(({ plain }) => plain <= 1)
      ? ['the stock agent repeats nothing: the table does not show what it is for']
      : []),
    ...(mutant.maxEffectsPerKey > 1
      ? []
      : ['without the write-ahead nothing is done twice: the table could not see it']),
  ];
}
