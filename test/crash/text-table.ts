import { points } from './agent/job.js';
import type { CountedCell, CrashTable } from './run-table.js';

/** The table for people: a line for each agent, durability, saver and class, a column for each point. */
export function textTable({ cells, mutant, kills, seconds }: CrashTable): string {
  const shown = points.filter((point) => cells.some((cell) => cell.point === point));
  const rows = new Map<string, CountedCell[]>();
  for (const cell of cells) {
    const name = [cell.agent, cell.durability, cell.saver, cell.class].join('\t');
    rows.set(name, [...(rows.get(name) ?? []), cell]);
  }
  const lines = [
    ['agent', 'durability', 'saver', 'class', ...shown],
    ...[...rows].map(([name, row]) => [
      ...name.split('\t'),
      ...shown.map((point) => inCell(row.find((cell) => cell.point === point))),
    ]),
  ];
  return [
    'Effects per wish: stock agent → guarded agent, and the status that the guarded run reports.',
    '',
    ...aligned(lines),
    '',
    `Without the write-ahead: ${mutant.maxEffectsPerKey} effects per wish. ${kills} processes killed in ${seconds} s.`,
  ].join('\n');
}

function inCell(cell: CountedCell | undefined): string {
  if (cell === undefined) return '';
  const resent = cell.resentUnknown > 0 ? ` RESENT ${cell.resentUnknown}` : '';
  return `${cell.plain} → ${cell.guarded} ${cell.status}${resent}`;
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
