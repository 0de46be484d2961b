import type { Job, KillPoint } from './agent/job.js';
import { type AgentProcess, nameOf } from './agent-process.js';
import type { CrashLab, Task } from './crash-lab.js';

/** A crash to be made, and how the work goes on after it. */
export interface Trial extends Task {
  readonly killAt: KillPoint;
  /** `resume`, or `start`: the same message is sent again. Default: `resume`. */
  readonly next?: Job['task'];
}

/** What the service saw of a trial's wish, over the crashed and the next process together. */
export interface TrialResult {
  readonly effects: number;
  readonly requests: number;
  /** Requests of the next process alone. */
  readonly requestsAfterCrash: number;
  readonly status: string;
  readonly text: string;
  /** As the next process left it; see `notice`. */
  readonly conversation: readonly string[];
}

/**
 * Kills one process and lets another one go on.
 *
 * @param resumer goes on. It may have done so for other trials: it is never the process that was killed,
 * and each trial has a guard, both stores' files and a thread of its own.
 * @throws when the point was not reached
 */
export async function runTrial(
  trial: Trial,
  lab: CrashLab,
  resumer: AgentProcess,
): Promise<TrialResult> {
  const { killAt, next = 'resume', ...task } = trial;
  const { service } = lab;
  const subject = await lab.newSubject(task);
  const { account } = subject;
  const victim = lab.startAgent();
  if (killAt === 'during-effect') service.hold(account, () => victim.kill());
  const crash = { ...subject, task: 'start', killAt } as const;
  const crashed = await victim.work(crash);
  if (crashed.end !== 'killed') {
    await victim.stop();
    throw new Error(`${nameOf(crash)}: never got there, and ended ${crashed.status}`);
  }
  service.hold(account, async () => {});
  const before = service.tally(account);
  const resumed = await resumer.work({ ...subject, task: next });
  if (resumed.end !== 'done') throw new Error(`${nameOf(crash)}: the next process died too`);
  const { requests, effects } = service.tally(account);
  return {
    effects,
    requests,
    requestsAfterCrash: requests - before.requests,
    status: resumed.status,
    text: resumed.text,
    conversation: resumed.conversation,
  };
}
