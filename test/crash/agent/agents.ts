import { guardedFetch } from '@holdfast/call-guard';
import { without } from '@holdfast/call-guard/testing';
import type { LedgerStore } from '@holdfast/effect-ledger';
import { createLangGraphGuard, type Invokable } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { type AgentMiddleware, createAgent } from 'langchain';
import { chargeFinder, chargeTool, registryOf } from './charge-tools.js';
import type { CrashPoint } from './crash-point.js';
import type { Job } from './job.js';
import { ScriptedModel } from './scripted-model.js';

type ChargeTool = ReturnType<typeof chargeTool>;

/** The agent as it was before anyone thought of a guard. */
export function stockAgent(job: Job, saver: BaseCheckpointSaver, reached: CrashPoint): Invokable {
  // Stock code knows no keys, so how its service treats them makes no difference.
  const charge = chargeTool({ ...job, class: 'undeclared', send: fetch }, reached);
  return agentOf(job, charge, saver, []);
}

/** The same agent, guarded, and its guard. */
export function guardedAgent(
  job: Job,
  ledger: LedgerStore,
  saver: BaseCheckpointSaver,
  reached: CrashPoint,
) {
  const whole = createLangGraphGuard({
    registry: registryOf(job.class),
    ledger,
    executors: { find_charge: chargeFinder(job.serviceUrl) },
  });
  const guard = job.guarding === 'mutant' ? without(whole, 'write-ahead') : whole;
  const charge = chargeTool({ ...job, send: guardedFetch }, reached);
  const guarded = guard.checkpointer(saver);
  const agent =
    job.agent === 'createAgent'
      ? agentOf(job, charge, guarded, [guardMiddleware(guard)])
      : agentOf(job, guard.tools([charge])[0], guarded, []);
  return { guard, agent };
}

function agentOf(
  { agent }: Job,
  charge: ChargeTool,
  checkpointer: BaseCheckpointSaver,
  middleware: AgentMiddleware[],
): Invokable {
  const model = new ScriptedModel();
  if (agent === 'createAgent') {
    return createAgent({ model, tools: [charge], middleware, checkpointer });
  }
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode([charge]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition, { tools: 'tools', [END]: END })
    .addEdge('tools', 'model')
    .compile({ checkpointer });
}
