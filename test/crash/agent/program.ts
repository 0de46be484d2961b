/**
 * An agent as a process: does the jobs that it is sent over IPC, and ends with its driver. One that is to
 * be killed gets one job; one that resumes may get many, each with a guard, files and a thread of its own.
 */
import { join } from 'node:path';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { guardedAgent, stockAgent } from './agents.js';
import { conversationOf } from './conversation.js';
import { crashPoint, ledgerWithCrashPoints } from './crash-point.js';
import { DelayedSaver } from './delayed-saver.js';
import { type Job, job as jobSchema, type Notice } from './job.js';

type Done = Extract<Notice, { kind: 'done' }>;

async function work(job: Job): Promise<Done> {
  const saver = new DelayedSaver(join(job.folder, 'state.db'), job.delays, crashPoint(job.killAt));
  try {
    return await (job.guarding === 'stock' ? workStock(job, saver) : workGuarded(job, saver));
  } finally {
    saver.db.close();
  }
}

async function workGuarded(job: Job, saver: DelayedSaver): Promise<Done> {
  const reached = crashPoint(job.killAt);
  const file = sqliteLedger(join(job.folder, 'ledger.db'));
  const ledger = ledgerWithCrashPoints(file, reached, (found) => tell({ kind: 'claimed', found }));
  try {
    const { guard, agent } = guardedAgent(job, ledger, saver, reached);
    const config = configOf(job);
    const { report, output } = await (job.task === 'resume'
      ? guard.resume(agent, config)
      : guard.run(agent, inputOf(job), config));
    await guard.close();
    return { kind: 'done', status: report.status, ...conversationOf(output) };
  } finally {
    await file.close();
  }
}

async function workStock(job: Job, saver: DelayedSaver): Promise<Done> {
  const agent = stockAgent(job, saver, crashPoint(job.killAt));
  const config = configOf(job);
  // A thread without a checkpoint cannot go on: a worker sends the message again.
  const goesOn = job.task === 'resume' && (await saver.getTuple(config)) !== undefined;
  const output = await agent.invoke(goesOn ? null : inputOf(job), config);
  return { kind: 'done', status: 'answered', ...conversationOf(output) };
}

function configOf({ account, durability }: Job) {
  return { configurable: { thread_id: account }, durability };
}

function inputOf({ account }: Job) {
  return { messages: [{ role: 'user', content: `Charge ${account} 42.00.` }] };
}

function tell(notice: Notice): void {
  // Where nobody listens any more, this process is about to end.
  process.send?.(notice, () => {});
}

process.once('disconnect', () => process.exit());
process.on('message', (message) => {
  work(jobSchema.parse(message)).then(tell, (error: unknown) => {
    tell({ kind: 'failed', error: error instanceof Error ? `${error.stack}` : String(error) });
  });
});
