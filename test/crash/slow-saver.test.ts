import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentKind, agents, type Delays, type ToolClass } from './agent/job.js';
import { nameOf } from './agent-process.js';
import { delaysOf } from './cells.js';
import { type CrashLab, openCrashLab } from './crash-lab.js';
import { runTrials } from './run-trials.js';
import type { Trial, TrialResult } from './trial.js';

const orders: readonly Delays[] = [
  { readMs: 0, putMs: 0, putWritesMs: 200 },
  { readMs: 0, putMs: 200, putWritesMs: 0 },
];
/** From the settlement on the outcome is known; what of it the saver has depends on the order. */
const settled = ['after-settle', 'after-pending-write', 'after-checkpoint'] as const;
const kinds = [
  { agent: 'createAgent', class: 'irreversible' },
  { agent: 'StateGraph', class: 'irreversible' },
  { agent: 'createAgent', class: 'undeclared' },
  { agent: 'StateGraph', class: 'undeclared' },
] as const;

const inEitherOrder: readonly Trial[] = orders.flatMap((delays, o) =>
  (['sync', 'async'] as const).flatMap((durability, d) => {
    const common = { guarding: 'guarded', durability, delays } as const;
    return [
      ...settled.map((killAt, k) => ({ ...common, ...kindOf(o + 2 * d + k), killAt })),
      // Right after the effect, nothing else: the next process sends it again, under the same key.
      { ...common, agent: kindOf(o + d).agent, class: 'idempotent-write', killAt: 'after-effect' },
    ] satisfies Trial[];
  }),
);

function kindOf(turn: number): (typeof kinds)[number] {
  return kinds[turn % kinds.length] ?? kinds[0];
}

/** Killed after the effect, before a slow saver has stored much; then the user sends the message again. */
function resubmitted(
  agent: AgentKind,
  toolClass: ToolClass,
  guarding: Trial['guarding'] = 'guarded',
): Trial {
  const common = { durability: 'async', delays: delaysOf('slow'), killAt: 'after-effect' } as const;
  return { agent, class: toolClass, guarding, ...common, next: 'start' };
}

const right = {
  'idempotent-write': { effects: 1, requests: 2, status: 'complete' },
  'irreversible+probe': { effects: 1, requests: 1, status: 'complete' },
  irreversible: { effects: 1, requests: 1, status: 'partial' },
  undeclared: { effects: 1, requests: 1, status: 'partial' },
} as const;
const sentAgain = agents.flatMap((agent) =>
  (Object.keys(right) as ToolClass[]).map(
    (toolClass) => [agent, toolClass, resubmitted(agent, toolClass)] as const,
  ),
);
const stock = agents.map((agent) => resubmitted(agent, 'undeclared', 'stock'));

let lab: CrashLab;
let results: ReadonlyMap<Trial, TrialResult>;

beforeAll(async () => {
  lab = await openCrashLab();
  const trials = [...inEitherOrder, ...sentAgain.map(([, , trial]) => trial), ...stock];
  results = await runTrials(trials, lab);
}, 300_000);
afterAll(() => lab?.close());

describe('DU-01, LG-02: the saver writes the answer and the checkpoint in either order', () => {
  it.each(
    inEitherOrder.map(
      (trial) => [nameOf({ ...trial, task: 'start', account: '' }), trial] as const,
    ),
  )('the ledger answers the call that is made again, under its own id: %s', (_, trial) => {
    const result = results.get(trial);
    expect(result).toMatchObject({ effects: 1, status: 'complete' });
    expect(result?.requests).toBe(trial.killAt === 'after-effect' ? 2 : 1);
    expect(result?.conversation).toEqual(['human', 'ai calls 1', 'tool answers 1', 'ai']);
  });
});

describe('DU-02: a run vanishes after its effect, and its request is sent again', () => {
  it.each(sentAgain)('%s, %s: the new run knows the old one’s effect', (_, toolClass, trial) => {
    expect(results.get(trial)).toMatchObject(right[toolClass]);
  });

  it('without a guard it is done twice', () => {
    expect(stock.map((trial) => results.get(trial)?.effects)).toEqual([2, 2]);
  });
});
