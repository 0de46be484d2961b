import type { Job, KillPoint } from './agent/job.js';
import { type AgentProcess, nameOf } from './agent-process.js';
import type { Next } from './cells.js';
import type { CrashLab, Subject, Task } from './crash-lab.js';
import { signal } from './signal.js';

/** A crash to be made, and how the work goes on after it. */
export interface Trial extends Task {
  readonly killAt: KillPoint;
  readonly next: Next;
}

/** What the service saw of one wish, over all processes together. */
export interface WishResult {
  readonly effects: number;
  readonly requests: number;
  /** Requests of the next processes alone. */
  readonly requestsAfterCrash: number;
}

export interface TrialResult {
  /** In the order of the calls. */
  readonly wishes: readonly WishResult[];
  /** What the next processes report; one of them each. */
  readonly statuses: readonly string[];
  /** As they left the thread; see `notice`. */
  readonly conversations: readonly (readonly string[])[];
}

/**
 * Kills one process and lets others go on.
 *
 * @param resumer gives the processes that go on, by number. They may have done so for other trials: none of
 * them was killed, and each trial has a guard, both stores' files and a thread of its own.
 * @throws when the point was not reached
 */
export async function runTrial(
  trial: Trial,
  lab: CrashLab,
  resumer: (number: number) => AgentProcess,
): Promise<TrialResult> {
  const { killAt, next, ...task } = trial;
  const { service } = lab;
  const subject = await lab.newSubject(task);
  const { accounts } = subject;
  const victim = lab.startAgent();
  if (killAt === 'during-effect') killDuringEffects(subject, victim, lab);
  const crash = { ...subject, task: 'start', killAt } as const;
  const crashed = await victim.work(crash).finally(() => victim.kill());
  if (crashed.end !== 'killed') {
    throw new Error(`${nameOf(crash)}: never got there, and ended ${crashed.status}`);
  }
  const before = accounts.map((account) => service.tally(account));
  const again = { ...subject, task: next === 'sent again' ? 'start' : 'resume' } as const;
  const processes = next === 'two resume' ? [resumer(0), resumer(1)] : [resumer(0)];
  const ends = await goOn(again, processes, lab);
  return {
    wishes: accounts.map((account, index) => {
      const { effects, requests } = service.tally(account);
      return {
        effects,
        requests,
        requestsAfterCrash: requests - (before[index]?.requests ?? 0),
      };
    }),
    statuses: ends.map(({ status }) => status),
    conversations: ends.map(({ conversation }) => conversation),
  };
}

/** Where all calls are to be under way, the service has all of them. */
function killDuringEffects({ accounts, calls }: Subject, victim: AgentProcess, lab: CrashLab) {
  const mustBeThere = calls === 'two at once' ? accounts : accounts.slice(-1);
  const killed = signal();
  const there = new Set<string>();
  for (const account of mustBeThere) {
    lab.service.hold(account, async () => {
      there.add(account);
      if (there.size === mustBeThere.length) victim.kill().then(killed.give, killed.give);
      await killed.given;
    });
  }
}

/** Whatever is sent now is answered when all of the processes have seen where the thread stands, or have ended. */
async function goOn(job: Job, processes: readonly AgentProcess[], lab: CrashLab) {
  const met = signal();
  const looked = new Set<AgentProcess>();
  const look = (process: AgentProcess): void => {
    looked.add(process);
    if (looked.size === processes.length) met.give();
  };
  for (const account of job.accounts) lab.service.hold(account, () => met.given);
  return Promise.all(
    processes.map(async (process) => {
      const end = await process
        .work(job, { looked: () => look(process) })
        .finally(() => look(process));
      if (end.end !== 'done') throw new Error(`${nameOf(job)}: the next process died too`);
      return end;
    }),
  );
}
