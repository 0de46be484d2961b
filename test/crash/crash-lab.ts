import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from './agent/job.js';
import { bundleAgent } from './agent-bundle.js';
import { type AgentProcess, startAgent } from './agent-process.js';
import { type ChargeService, startChargeService } from './charge-service.js';

/** What a job is about; the rest the laboratory knows. */
export type Task = Omit<Job, 'task' | 'thread' | 'accounts' | 'folder' | 'serviceUrl' | 'killAt'>;

/** Wishes of its own: accounts, a thread, and the files of both stores. */
export type Subject = Omit<Job, 'task' | 'killAt'>;

/** Where processes are killed: a service that counts, the agent program, and a folder for files. */
export interface CrashLab {
  readonly service: ChargeService;
  newSubject(task: Task): Promise<Subject>;
  startAgent(): AgentProcess;
  /** Ends what runs, and removes all files. */
  close(): Promise<void>;
}

/** Opens a laboratory; closing it, or the end of this process, leaves nothing behind. */
export async function openCrashLab(): Promise<CrashLab> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-crash-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', removeFolder);
  const program = await bundleAgent(folder);
  const service = await startChargeService();
  const running = new Set<AgentProcess>();
  return {
    service,
    async newSubject(task) {
      const thread = randomUUID();
      const files = join(folder, thread);
      await mkdir(files);
      // Short enough to be part of a call's id: providers take 40 characters.
      const account = `acct-${thread.slice(0, 8)}`;
      const accounts: Subject['accounts'] =
        task.calls === 'one' ? [account] : [`${account}-1`, `${account}-2`];
      return { ...task, thread, accounts, folder: files, serviceUrl: service.url };
    },
    startAgent() {
      const agent = startAgent(program);
      running.add(agent);
      void agent.ended.then(() => running.delete(agent));
      return agent;
    },
    async close() {
      await Promise.all([...running].map((agent) => agent.kill()));
      await service.close();
      removeFolder();
      process.off('exit', removeFolder);
    },
  };
}
