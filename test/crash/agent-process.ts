import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Job, type Notice, notice } from './agent/job.js';

/** How a process did with a job. */
export type JobEnd =
  | ({ readonly end: 'done' } & Omit<Extract<Notice, { kind: 'done' }>, 'kind'>)
  | { readonly end: 'killed' };

/** Who wants to know while a job is under way. */
interface Told {
  /** It has read where the thread stands. */
  readonly looked?: () => void;
  /** What a declaration of the job found in the ledger. */
  readonly claimed?: (found: string) => void;
}

export interface AgentProcess {
  /**
   * Gives it a job; one at a time.
   *
   * @throws when the job fails, takes longer than {@link MOST_MS}, or the process ends by itself
   */
  work(job: Job, told?: Told): Promise<JobEnd>;
  /** kill -9. Resolves when it is dead. */
  kill(): Promise<void>;
  /** Lets it end by itself. Resolves when it has. */
  stop(): Promise<void>;
  /** Resolves when it has ended, however. */
  readonly ended: Promise<unknown>;
}

type End = Extract<Notice, { kind: 'done' | 'failed' }>;

const MOST_MS = 60_000;

/** Starts the bundled agent program. It does not outlive this process. */
export function startAgent(program: string): AgentProcess {
  // Its stdout is not ours: that holds one document. No loader of ours is passed on.
  const child = fork(program, [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  return {
    async work(job, { looked = () => {}, claimed = () => {} } = {}) {
      const ended = new Promise<End>((resolve) => {
        child.on('message', function take(message) {
          const said = notice.parse(message);
          if (said.kind === 'looked') return looked();
          if (said.kind === 'claimed') return claimed(said.found);
          child.off('message', take);
          resolve(said);
        });
      });
      child.send(job);
      const first = await within(MOST_MS, Promise.race([ended, exited.then(() => undefined)]));
      if (first === 'too-late') {
        child.kill('SIGKILL');
        throw new Error(`${nameOf(job)} is not done after ${MOST_MS} ms`);
      }
      if (first === undefined) {
        if (child.signalCode === 'SIGKILL') return { end: 'killed' };
        throw new Error(`${nameOf(job)}: the process ended with ${child.exitCode}`);
      }
      if (first.kind === 'failed') throw new Error(`${nameOf(job)}: ${first.error}`);
      const { status, text, conversation } = first;
      return { end: 'done', status, text, conversation };
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
    ended: exited,
  };
}

/** A job as errors name it. */
export function nameOf(job: Omit<Job, 'thread' | 'accounts' | 'folder' | 'serviceUrl'>): string {
  const { guarding, agent, calls, durability, delays, killAt, task } = job;
  const saver = Object.values(delays).join('/');
  return `${task} of ${guarding} ${agent}, ${calls}, ${job.class}, ${durability}, saver ${saver}, ${killAt ?? ''}`;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | 'too-late'> {
  let cancel = (): void => {};
  const late = new Promise<'too-late'>((resolve) => {
    const timer = setTimeout(() => resolve('too-late'), ms);
    cancel = () => clearTimeout(timer);
  });
  return Promise.race([work, late]).finally(cancel);
}
