/**
 * An agent as a process: does the jobs that it is sent over IPC, and ends with its driver. One that is to
 * be killed gets one job; one that resumes may get many, each with a guard, files and a thread of its own.
 */
import { join } from 'node:path';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { conversationOf } from './conversation.js';
import { type CrashPoint, crashPoint, ledgerWithCrashPoints } from './crash-point.js';
import { DelayedSaver } from './delayed-saver.js';
import { guardedAgent } from './guarded-agent.js';
import { type Job, job as jobSchema, type Notice } from './job.js';
import { stockAgent } from './stock-agent.js';

type Done = Extract<Notice, { kind: 'done' }>;

async function work(job: Job): Promise<Done> {
  const crash = crashPoint(job);
  const saver = new DelayedSaver(join(job.folder, 'state.db'), job.delays, crash, () => {
    // A guard has looked into its ledger before.
    if (job.guarding === 'stock') tell({ kind: 'looked' });
  });
  try {
    return await (job.guarding === 'stock'
      ? workStock(job, saver, crash)
      : workGuarded(job, saver, crash));
  } finally {
    saver.db.close();
  }
}

async function workGuarded(job: Job, saver: DelayedSaver, crash: CrashPoint): Promise<Done> {
  const file = sqliteLedger(join(job.folder, 'ledger.db'));
  const ledger = ledgerWithCrashPoints(file, crash, {
    looked: () => tell({ kind: 'looked' }),
    claimed: (found) => tell({ kind: 'claimed', found }),
  });
  try {
    const { guard, agent } = guardedAgent(job, ledger, saver, crash);
    const config = configOf(job);
    const result = await (job.task === 'resume'
      ? guard.resume(agent, config)
      : guard.run(agent, inputOf(job), config));
    await guard.close();
    // Of a graph that throws there is a report, too; in the table none has a reason to.
    if ('error' in result) throw result.error;
    return { kind: 'done', status: result.report.status, ...conversationOf(result.output) };
  } finally {
    await file.close();
  }
}

async function workStock(job: Job, saver: DelayedSaver, crash: CrashPoint): Promise<Done> {
  const agent = stockAgent(job, saver, crash);
  const config = configOf(job);
  // A thread without a checkpoint cannot go on: a worker sends the message again.
  const goesOn = job.task === 'resume' && (await saver.getTuple(config)) !== undefined;
  const output = await agent.invoke(goesOn ? null : inputOf(job), config);
  return { kind: 'done', status: 'answered', ...conversationOf(output) };
}

function configOf({ thread, durability }: Job) {
  return { configurable: { thread_id: thread }, durability };
}

function inputOf({ accounts }: Job) {
  return { messages: [{ role: 'user', content: `Charge ${accounts.join(' and ')} 42.00.` }] };
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
