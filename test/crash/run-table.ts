import type { KillPoint, Point } from './agent/job.js';
import { allCells, type Cell, delaysOf } from './cells.js';
import type { CrashLab } from './crash-lab.js';
import { runTrials } from './run-trials.js';
import type { Trial, TrialResult } from './trial.js';

/** A cell with what was counted in it. */
export interface CountedCell extends Cell {
  /** The most effects per wish of the stock agent. */
  readonly plain: number;
  /** The same of the guarded one. */
  readonly guarded: number;
  /** Requests for a call that must never be sent twice, made while its outcome was not known. */
  readonly resentUnknown: number;
  /** Of the guarded run's report. */
  readonly status: string;
}

export interface CrashTable {
  readonly cells: readonly CountedCell[];
  /** With the write-ahead taken out: it must be more than 1, or the table could not see a duplicate. */
  readonly mutant: { readonly maxEffectsPerKey: number };
  /** How many processes were killed. */
  readonly kills: number;
  readonly seconds: number;
}

/** Makes every crash of the cells, those of the stock agent and those of the mutant. */
export async function runTable(
  cells: readonly Cell[],
  lab: CrashLab,
  progress: (line: string) => void,
): Promise<CrashTable> {
  const startedAt = performance.now();
  const guarded = cells.map(guardedTrial);
  const plain = new Map(cells.map((cell) => [plainName(cell), plainTrial(cell)]));
  const trials = [...guarded, ...plain.values(), ...mutantTrials];
  const results = await runTrials(trials, lab, (done) =>
    progress(`${done} of ${trials.length} crashes`),
  );
  const resultOf = (trial: Trial | undefined): TrialResult => {
    const result = trial === undefined ? undefined : results.get(trial);
    if (result === undefined) throw new TypeError('a trial without a result');
    return result;
  };
  return {
    cells: cells.map((cell, index) => {
      const result = resultOf(guarded[index]);
      return {
        ...cell,
        plain: resultOf(plain.get(plainName(cell))).effects,
        guarded: result.effects,
        resentUnknown: resentUnknown(cell, result),
        status: result.status,
      };
    }),
    mutant: {
      maxEffectsPerKey: Math.max(...mutantTrials.map((trial) => resultOf(trial).effects)),
    },
    kills: trials.length,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
}

function guardedTrial(cell: Cell): Trial {
  const { agent, durability, saver, point } = cell;
  const delays = delaysOf(saver);
  return { agent, class: cell.class, durability, delays, guarding: 'guarded', killAt: point };
}

/** The stock agent claims and settles nothing, and is not told of classes: the nearest points stand for those. */
function plainTrial({ agent, durability, saver, point }: Cell): Trial {
  const delays = delaysOf(saver);
  const killAt = plainPoints[point];
  return { agent, class: 'undeclared', durability, delays, guarding: 'stock', killAt };
}

const plainPoints: Record<Point, KillPoint> = {
  'before-claim': 'before-effect',
  'after-claim': 'before-effect',
  'during-effect': 'during-effect',
  'after-effect': 'after-effect',
  'after-settle': 'after-effect',
  'after-checkpoint': 'after-checkpoint',
};

function plainName({ agent, durability, saver, point }: Cell): string {
  return [agent, durability, saver, plainPoints[point]].join();
}

/** Where only the write-ahead knows that there was an effect. */
const mutantTrials: readonly Trial[] = allCells
  .filter(
    ({ durability, saver, point }) =>
      durability === 'sync' && saver === 'fast' && point === 'during-effect',
  )
  .filter((cell) => cell.class === 'irreversible' || cell.class === 'idempotent-write')
  .map((cell) => ({ ...guardedTrial(cell), guarding: 'mutant' }));

/** Points at which nobody can know whether the call took effect: after its claim, before its settlement. */
const uncertain: readonly Point[] = ['after-claim', 'during-effect', 'after-effect'];

function resentUnknown(cell: Cell, result: TrialResult): number {
  if (cell.class === 'idempotent-write' || !uncertain.includes(cell.point)) return 0;
  return result.requestsAfterCrash;
}
