import { join } from 'node:path';
import type { GuardEvent } from '@holdfast/call-guard';
import type { AgentAnswer, RunReport } from '../agent-answer.js';
import type { AgentOptions } from '../agent-options.js';
import { type AgentRun, runAgent } from '../run-agent.js';
import { type Services, startServices, type Tallies } from '../services/start-services.js';
import type { AgentKind, DemoFiles } from './demo-files.js';
import { eventsOfRun } from './events-of-run.js';
import { countResent } from './resent.js';
import { type Asked, type FaultName, scenarios } from './scenario.js';
import { watchEffects } from './watch-effects.js';

/** What an agent is asked for where its scenario says nothing else. */
const usual: Asked = {
  message: 'Move the delivery of order ord_1 to tomorrow morning and tell the buyer.',
  deadlineMs: '120000',
  requestTimeoutMs: '10000',
};

/** One agent under one fault: what it said, and what the services counted. */
interface Performance {
  answer: AgentAnswer;
  tallies: Tallies;
}

interface GuardedPerformance extends Performance {
  report: RunReport;
  /** Of all processes that worked on the run. */
  events: GuardEvent[];
  /** How often an effect of unknown outcome that no key protects was sent again. */
  resentUnknown: number;
}

/** Both agents under one fault. */
export interface FaultOutcome {
  name: FaultName;
  stock: Performance;
  guarded: GuardedPerformance;
}

/** Told each step of each agent while it happens; `alarming` if it should not happen. */
export type Tell = (fault: FaultName, agent: AgentKind, step: string, alarming?: boolean) => void;

/** Plays a fault for both agents at the same time, each with services and files of its own. */
export async function playFault(
  name: FaultName,
  files: DemoFiles,
  tell: Tell,
): Promise<FaultOutcome> {
  const both = [
    perform(name, 'stock', files, tell, async () => ({})),
    perform(name, 'guarded', files, tell, async ({ mail }, { report }) => {
      if (!report) throw new Error('The guarded agent gave no report.');
      const events = await eventsOfRun(files.events, report.runId);
      return { report, events, resentUnknown: await countResent(events, mail.url) };
    }),
  ] as const;
  // Where one fails, the other is still at work: nothing is said of the failure before its end.
  await Promise.allSettled(both);
  const [stock, guarded] = await Promise.all(both);
  return { name, stock, guarded };
}

/** @param observe what else to learn while the services still run. */
async function perform<Observed>(
  fault: FaultName,
  agent: AgentKind,
  files: DemoFiles,
  tell: Tell,
  observe: (services: Services, answer: AgentAnswer) => Promise<Observed>,
): Promise<Performance & Observed> {
  const folder = await files.makeFolder(fault, agent);
  tell(fault, agent, 'its services start: orders, mail, a scripted model');
  const services = await startServices({ folder });
  try {
    const watch = watchEffects(services, (wish, count) => {
      const times = count === 1 ? '' : ` AGAIN, now ${count} times`;
      tell(fault, agent, `took effect${times}: ${wish}`, count > 1);
    });
    const answer = await scenarios[fault].play({
      services,
      startAgent: (asked) =>
        startAgent(agent, { ...usual, ...asked }, { fault, folder, services, files }),
      tell: async (step) => {
        await watch.look();
        tell(fault, agent, step);
      },
    });
    const tallies = await watch.stop();
    tell(fault, agent, `says: ${answer.text}`);
    return { answer, tallies, ...(await observe(services, answer)) };
  } finally {
    await services.stop();
  }
}

function startAgent(
  agent: AgentKind,
  asked: Asked,
  place: { fault: FaultName; folder: string; services: Services; files: DemoFiles },
): AgentRun {
  const { fault, folder, services, files } = place;
  const options: AgentOptions = {
    ...asked,
    thread: fault,
    state: join(folder, 'checkpoints.db'),
    orders: services.orders.url,
    mail: services.mail.url,
    model: services.model.url,
  };
  switch (agent) {
    case 'stock':
      return runAgent({ file: 'agent-process-stock.ts', options });
    case 'guarded':
      return runAgent({
        file: 'agent-process-guarded.ts',
        options: { ...options, ledger: files.ledger, events: files.events },
      });
  }
}
