import { guardedFetch } from '@holdfast/call-guard';
import { without } from '@holdfast/call-guard/testing';
import type { LedgerStore } from '@holdfast/effect-ledger';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { agentKinds } from '../../support/agents.js';
import { chargeFinder, chargeTool, registryOf } from './charge-tools.js';
import type { CrashPoint } from './crash-point.js';
import type { Job } from './job.js';
import { ScriptedModel } from './scripted-model.js';

/** The agent with its guard. */
export function guardedAgent(
  job: Job,
  ledger: LedgerStore,
  saver: BaseCheckpointSaver,
  crash: CrashPoint,
) {
  const whole = createLangGraphGuard({
    registry: registryOf(job.class),
    ledger,
    executors: { find_charge: chargeFinder(job.serviceUrl) },
  });
  const guard = job.guarding === 'mutant' ? without(whole, 'write-ahead') : whole;
  const kind = agentKinds.find(({ name }) => name === job.agent);
  if (kind === undefined) throw new TypeError(`no agent ${job.agent}`);
  // When a call is done, the ledger says.
  const inTool = { ...crash, done: () => {} };
  const tools = [chargeTool({ ...job, send: guardedFetch }, inTool)];
  return { guard, agent: kind.make({ guard, model: new ScriptedModel(), tools, saver }) };
}
