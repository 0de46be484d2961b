import {
  type AgentKind,
  agents,
  classes,
  type Delays,
  type Durability,
  durabilities,
  type Point,
  points,
  type ToolClass,
} from './agent/job.js';

const savers = ['fast', 'slow'] as const;
export type Saver = (typeof savers)[number];

/** One crash of the table. */
export interface Cell {
  readonly agent: AgentKind;
  readonly class: ToolClass;
  readonly durability: Durability;
  readonly saver: Saver;
  readonly point: Point;
}

/** The values of each dimension, in the order of the table. */
export const dimensions = {
  agent: agents,
  class: classes,
  durability: durabilities,
  saver: savers,
  point: points,
} as const;

/** Every combination. */
export const allCells: readonly Cell[] = agents.flatMap((agent) =>
  durabilities.flatMap((durability) =>
    savers.flatMap((saver) =>
      classes.flatMap((toolClass) =>
        points.map((point): Cell => ({ agent, class: toolClass, durability, saver, point })),
      ),
    ),
  ),
);

/**
 * Each class at each point, the agents, durabilities and savers in turn, so that each of them meets each
 * class and each point.
 */
export const shortForm: readonly Cell[] = classes.flatMap((toolClass, c) =>
  points.map((point, p): Cell => {
    const turn = c + p;
    return {
      agent: of(agents, turn),
      class: toolClass,
      durability: of(durabilities, turn >> 1),
      saver: of(savers, p + (c >> 1)),
      point,
    };
  }),
);

function of<T>(values: readonly [T, ...T[]], turn: number): T {
  return values[turn % values.length] ?? values[0];
}

/** How late a saver is with everything it is asked. */
export function delaysOf(saver: Saver): Delays {
  const ms = saver === 'slow' ? 200 : 0;
  return { readMs: ms, putMs: ms, putWritesMs: ms };
}

export function nameOfCell(cell: Cell): string {
  return `${cell.agent}, ${cell.class}, ${cell.durability}, ${cell.saver} saver, killed ${cell.point}`;
}
