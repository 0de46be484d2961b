import { nameOfCell } from './cells.js';
import { promiseOf } from './promise.js';
import type { CountedCell, CrashTable } from './run-table.js';

/** What the table promises and a run of it did not keep; empty when all is well. */
export function brokenBounds({ cells, maxEffectsPerKey }: CrashTable): readonly string[] {
  const repeats = cells.filter(
    ({ plain, point }) =>
      plain !== undefined && (point === 'during-effect' || point === 'after-effect'),
  );
  return [
    ...cells.flatMap((cell) => brokenIn(cell).map((what) => `${nameOfCell(cell)}: ${what}`)),
    ...(repeats.length > 0 && repeats.every(({ plain = [] }) => Math.max(...plain) <= 1)
      ? ['the stock agent repeats nothing: the table does not show what it is for']
      : []),
    ...(maxEffectsPerKey.mutant > 1
      ? []
      : ['without the write-ahead nothing is done twice: the table could not see it']),
  ];
}

function brokenIn(cell: CountedCell): readonly string[] {
  const { effects, status } = promiseOf(cell);
  return [
    ...(cell.guarded.join() === effects.join()
      ? []
      : [`effects ${cell.guarded.join(', ')} instead of ${effects.join(', ')}`]),
    ...(cell.status === status ? [] : [`reported as ${cell.status} instead of ${status}`]),
    ...(cell.resent > 0 ? [`sent again ${cell.resent} times`] : []),
    ...cell.flaws,
  ];
}
