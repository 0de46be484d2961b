import { type Cell, dimensions } from './cells.js';
import type { CountedCell, CrashTable } from './run-table.js';

/** The table for people: a line for each cell. */
export function textTable({ cells, maxEffectsPerKey, kills, seconds }: CrashTable): string {
  const names = Object.keys(dimensions) as (keyof Cell)[];
  const lines = [
    [...names, 'stock', 'guarded', 'report'],
    ...cells.map((cell) => [...names.map((name) => cell[name]), ...countsOf(cell)]),
  ];
  const { plain, guarded, mutant } = maxEffectsPerKey;
  return [
    'Effects per wish of the stock agent and of the guarded one, and what the guarded run reports.',
    '',
    ...aligned(lines),
    '',
    `Most effects per wish: stock ${plain ?? '–'}, guarded ${guarded}, without the write-ahead ${mutant}. ${cells.length} cells, ${kills} processes killed in ${seconds} s.`,
  ].join('\n');
}

/** The last three columns: stock, guarded, report. */
export function countsOf({ plain, guarded, status, resent, flaws }: CountedCell) {
  const wrong = [...(resent > 0 ? [`sent again ${resent} times`] : []), ...flaws];
  return [plain?.join(', ') ?? '–', guarded.join(', '), [status, ...wrong].join('; ')] as const;
}

function aligned(lines: readonly (readonly string[])[]): string[] {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines.map((line) =>
    line
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
