import type { AgentName, KillPoint, Point } from './agent/job.js';
import { type Cell, delaysOf } from './cells.js';
import { flawsOf } from './conversation-flaws.js';
import type { CrashLab } from './crash-lab.js';
import { mustNotBeSent } from './promise.js';
import { runTrials } from './run-trials.js';
import type { Trial, TrialResult } from './trial.js';

/** A cell with what was counted in it. Where there are two calls, so are two numbers, in their order. */
export interface CountedCell extends Cell {
  /** Effects per wish of the stock agent; where it was not asked to show them, it is absent. */
  readonly plain?: readonly number[];
  /** The same of the guarded one. */
  readonly guarded: readonly number[];
  /** Requests for a call that must not be sent again, made after the crash. */
  readonly resent: number;
  /** Of the guarded run's report; both where two processes say different things. */
  readonly status: string;
  /** What is wrong with the thread as the guarded processes leave it. */
  readonly flaws: readonly string[];
}

export interface CrashTable {
  readonly cells: readonly CountedCell[];
  readonly maxEffectsPerKey: {
    /** Absent where no stock agent was run. */
    readonly plain?: number;
    readonly guarded: number;
    /** With the write-ahead taken out: it must be more than 1, or the table could not see a duplicate. */
    readonly mutant: number;
  };
  /** How many processes were killed. */
  readonly kills: number;
  readonly seconds: number;
}

/**
 * Makes every crash of the cells, and those of the mutant.
 *
 * @param besides whether the stock agent is put through the same, at twice the price
 */
export async function runTable(
  cells: readonly Cell[],
  besides: 'with stock agents' | 'guarded alone',
  lab: CrashLab,
  progress: (line: string) => void,
): Promise<CrashTable> {
  const startedAt = performance.now();
  const guarded = cells.map(guardedTrial);
  const plain = new Map(
    besides === 'guarded alone' ? [] : cells.map((cell) => [plainName(cell), plainTrial(cell)]),
  );
  const trials = [...guarded, ...plain.values(), ...mutantTrials];
  const results = await runTrials(trials, lab, (done) => {
    if (done % 10 === 0 || done === trials.length) progress(`${done} of ${trials.length} crashes`);
  });
  const resultOf = (trial: Trial): TrialResult => {
    const result = results.get(trial);
    if (result === undefined) throw new TypeError('a trial without a result');
    return result;
  };
  const mostOf = (some: Iterable<Trial>): number =>
    Math.max(...[...some].flatMap((trial) => effectsOf(resultOf(trial))));
  return {
    cells: cells.map((cell, index) => {
      const result = resultOf(guarded[index] ?? guardedTrial(cell));
      const stock = plain.get(plainName(cell));
      return {
        ...cell,
        ...(stock === undefined ? {} : { plain: effectsOf(resultOf(stock)) }),
        guarded: effectsOf(result),
        resent: resent(cell, result),
        status: [...new Set(result.statuses)].sort().join(' and '),
        flaws: result.conversations.flatMap(flawsOf),
      };
    }),
    maxEffectsPerKey: {
      ...(plain.size === 0 ? {} : { plain: mostOf(plain.values()) }),
      guarded: mostOf(guarded),
      mutant: mostOf(mutantTrials),
    },
    kills: trials.length,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
}

function effectsOf({ wishes }: TrialResult): readonly number[] {
  return wishes.map(({ effects }) => effects);
}

function guardedTrial(cell: Cell): Trial {
  const { saver, point, ...common } = cell;
  return { ...common, delays: delaysOf(saver), guarding: 'guarded', killAt: point };
}

/** The stock agent claims and settles nothing, and is not told of classes: the nearest points stand for those. */
function plainTrial(cell: Cell): Trial {
  const { saver, point, ...common } = cell;
  const killAt = plainPoints[point];
  return { ...common, class: 'undeclared', delays: delaysOf(saver), guarding: 'stock', killAt };
}

const plainPoints: Record<Point, KillPoint> = {
  'before-claim': 'before-effect',
  'after-claim': 'before-effect',
  'during-effect': 'during-effect',
  'after-effect': 'after-effect',
  'after-settle': 'after-effect',
  'after-pending-write': 'after-pending-write',
  'before-checkpoint': 'before-checkpoint',
  'after-checkpoint': 'after-checkpoint',
};

/** Without a guard they are the same graph. */
const plainAgents: Partial<Record<AgentName, AgentName>> = {
  'StateGraph with guard.toolNode': 'StateGraph with ToolNode',
};

function plainName({ agent, calls, durability, saver, next, point }: Cell): string {
  return [plainAgents[agent] ?? agent, calls, durability, saver, next, plainPoints[point]].join();
}

/** Where only the write-ahead knows that there was an effect. */
const mutantTrials: readonly Trial[] = (['irreversible', 'idempotent-write'] as const).flatMap(
  (toolClass) =>
    (['createAgent v2', 'StateGraph with ToolNode'] as const).map(
      (agent): Trial => ({
        agent,
        class: toolClass,
        calls: 'one',
        durability: 'sync',
        delays: delaysOf('fast'),
        guarding: 'mutant',
        killAt: 'during-effect',
        next: 'resume',
      }),
    ),
);

function resent(cell: Cell, { wishes }: TrialResult): number {
  return wishes
    .filter((_, position) => mustNotBeSent(cell, position))
    .reduce((sum, { requestsAfterCrash }) => sum + requestsAfterCrash, 0);
}
