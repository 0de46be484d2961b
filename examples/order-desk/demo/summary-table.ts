import { leftOut } from './bounds.js';
import type { FaultOutcome } from './performance.js';
import { scenarios } from './scenario.js';
import type { Terminal } from './terminal.js';
import { mostOf } from './watch-effects.js';

interface Column {
  head: string;
  cell(outcome: FaultOutcome): string;
  color?(outcome: FaultOutcome, colors: Terminal['colors']): (text: string) => string;
}

const columns: readonly Column[] = [
  { head: 'fault', cell: ({ name }) => name },
  {
    head: 'same effect, stock',
    cell: (outcome) =>
      leftOut(outcome).length > 0 ? 'left out' : times(mostOf(outcome.stock.tallies)),
    color: (outcome, { green, red }) =>
      leftOut(outcome).length > 0 || mostOf(outcome.stock.tallies) > 1 ? red : green,
  },
  {
    head: 'guarded',
    cell: ({ guarded }) => times(mostOf(guarded.tallies)),
    color: ({ guarded }, { green, red }) => (mostOf(guarded.tallies) > 1 ? red : green),
  },
  {
    head: 'mail requests, stock',
    cell: ({ stock }) => String(stock.tallies.mail.requests),
  },
  { head: 'guarded', cell: ({ guarded }) => String(guarded.tallies.mail.requests) },
  { head: 'its report', cell: ({ guarded }) => guarded.report.status },
  { head: 'what it shows', cell: ({ name }) => scenarios[name].shows.lesson },
];

/**
 * One line per fault: how often the same effect took place at most, how often mail was asked for, and how
 * the guarded run says it ended.
 */
export function summaryTable(
  outcomes: readonly FaultOutcome[],
  colors: Terminal['colors'],
): string[] {
  const widths = columns.map(({ head, cell }) =>
    Math.max(head.length, ...outcomes.map((outcome) => cell(outcome).length)),
  );
  const padded = (text: string, index: number) => text.padEnd(widths[index] ?? 0);
  const head = columns.map((column, index) => padded(column.head, index)).join('  ');
  const body = outcomes.map((outcome) =>
    columns
      .map(({ cell, color = () => (text: string) => text }, index) =>
        color(outcome, colors)(padded(cell(outcome), index)),
      )
      .join('  ')
      .trimEnd(),
  );
  return [colors.bold(head.trimEnd()), ...body];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
