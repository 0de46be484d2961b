import { agents, callings, classes, type Delays, durabilities, points } from './agent/job.js';
import { coveringSet, type Row } from './covering-set.js';

/** The values of each dimension, in the order of the table. */
export const dimensions = {
  agent: agents,
  calls: callings,
  durability: durabilities,
  saver: ['fast', 'slow', 'slow put', 'slow putWrites'],
  class: classes,
  /** How the work goes on in another process; or in two, which find the thread unfinished at once. */
  next: ['resume', 'two resume', 'sent again'],
  point: points,
} as const;

/** One crash of the table. */
export type Cell = Row<typeof dimensions>;
export type Saver = Cell['saver'];
export type Next = Cell['next'];

/** What cannot be made to happen, and why. */
export const impossible: readonly { readonly cells: Partial<Cell>; readonly because: string }[] = [
  {
    cells: { durability: 'exit', point: 'after-pending-write' },
    because:
      'under durability `exit` LangGraph stores no answer of a tool beside a checkpoint: there is no such moment',
  },
];

const impossibleCells = impossible.map(({ cells }) => cells);

/** Every triple of values meets in it; so each agent is killed at each point with each of everything else. */
export function longForm(): readonly Cell[] {
  return coveringSet(dimensions, 3, impossibleCells);
}

/** Every pair of values meets in it: each agent is killed at each point. */
export function shortForm(): readonly Cell[] {
  return coveringSet(dimensions, 2, impossibleCells);
}

const MS = 200;

/** How late a saver is with what it is asked. */
export function delaysOf(saver: Saver): Delays {
  const none = { readMs: 0, putMs: 0, putWritesMs: 0 };
  switch (saver) {
    case 'fast':
      return none;
    case 'slow':
      return { readMs: MS, putMs: MS, putWritesMs: MS };
    case 'slow put':
      return { ...none, putMs: MS };
    case 'slow putWrites':
      return { ...none, putWritesMs: MS };
  }
}

export function nameOfCell({ agent, calls, durability, saver, class: toolClass, ...cell }: Cell) {
  return `${agent}, ${calls}, ${durability}, ${saver} saver, ${toolClass}, killed ${cell.point}, ${cell.next}`;
}
