import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentName, ToolClass } from './agent/job.js';
import type { AgentProcess, JobEnd } from './agent-process.js';
import { delaysOf } from './cells.js';
import type { ChargeTally } from './charge-service.js';
import { type CrashLab, openCrashLab, type Task } from './crash-lab.js';
import { signal } from './signal.js';

let lab: CrashLab;
/** Takes up what others are doing, one thread after another. */
let other: AgentProcess;

beforeAll(async () => {
  lab = await openCrashLab();
  other = lab.startAgent();
});
afterAll(() => lab?.close());

const done = { end: 'done', status: 'complete' };

describe('LG-01: another process takes up a thread whose tool is still running', () => {
  it.each<[AgentName, ToolClass]>([
    ['createAgent v2', 'irreversible'],
    ['createReactAgent v1', 'undeclared'],
    ['StateGraph with ToolNode', 'irreversible+probe'],
    ['entrypoint', 'idempotent-write'],
  ])('it waits for the first one’s result: %s, %s', async (agent, toolClass) => {
    const { first, second, tally } = await takeUp(taskOf(agent, toolClass, 'guarded'), 'answered');
    expect(tally).toEqual({ requests: 1, effects: 1 });
    expect(first).toMatchObject(done);
    expect(second).toMatchObject({
      ...done,
      conversation: ['human', 'ai calls 1', 'tool answers 1', 'ai'],
    });
  });

  it.each<[AgentName, ToolClass, string, number]>([
    ['createAgent v1', 'idempotent-write', 'complete', 2],
    ['StateGraph with guard.toolNode', 'irreversible', 'partial', 1],
    ['StateGraph with guard.route', 'irreversible+probe', 'complete', 1],
    ['createReactAgent v2', 'undeclared', 'partial', 1],
  ])(
    'and where the first one is killed meanwhile, it takes the outcome for unknown: %s, %s',
    async (agent, toolClass, status, requests) => {
      const { first, second, tally } = await takeUp(taskOf(agent, toolClass, 'guarded'), 'killed');
      expect(first).toEqual({ end: 'killed' });
      expect(second).toMatchObject({ end: 'done', status });
      expect(tally).toEqual({ requests, effects: 1 });
    },
  );

  it('without a guard both of them do it', async () => {
    const { tally } = await takeUp(taskOf('createAgent v2', 'undeclared', 'stock'), 'answered');
    expect(tally).toEqual({ requests: 2, effects: 2 });
  });
});

function taskOf(agent: AgentName, toolClass: ToolClass, guarding: Task['guarding']): Task {
  const common = { calls: 'one', durability: 'sync', delays: delaysOf('fast') } as const;
  return { agent, class: toolClass, guarding, ...common };
}

interface Both {
  readonly first: JobEnd;
  readonly second: JobEnd;
  readonly tally: ChargeTally;
}

/**
 * The first process waits for the service, which has taken the charge, until the second one has met its
 * claim or, unguarded, has charged too.
 *
 * @param then what becomes of the first one's request at that moment
 */
async function takeUp(task: Task, then: 'answered' | 'killed'): Promise<Both> {
  const subject = await lab.newSubject(task);
  const [account] = subject.accounts;
  const one = lab.startAgent();
  const taken = signal();
  const met = signal();
  lab.service.hold(account, async () => {
    if (lab.service.tally(account).requests > 1) return met.give();
    taken.give();
    await met.given;
  });
  const first = one.work({ ...subject, task: 'start' });
  await Promise.race([taken.given, first]);
  const claimed = (): void => {
    if (then === 'killed') one.kill().then(met.give, met.give);
    else met.give();
  };
  const second = other.work({ ...subject, task: 'resume' }, { claimed });
  // A second one that meets nothing must not leave the first one waiting.
  second.then(met.give, met.give);
  const ends = await Promise.all([first, second]);
  await one.stop();
  return { first: ends[0], second: ends[1], tally: lab.service.tally(account) };
}
