/** The two sides of the parity suite: what LangGraph and LangChain make, and the same with the guard. */
import { memoryLedger } from '@holdfast/effect-ledger';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import type { StructuredToolInterface } from '@langchain/core/tools';
import {
  type BaseCheckpointSaver,
  END,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { caseRegistry } from '../support/case-registry.js';
import type { ScriptedModel } from '../support/scripted-model.js';

type Tools = readonly StructuredToolInterface[];
/** What an agent may have beside its own tools: those that its provider runs. */
export type AgentTool = StructuredToolInterface | Record<string, unknown>;

export interface Side {
  readonly name: string;
  /** Which of the listed differences apply. */
  readonly isOurs: boolean;
  node(tools: Tools): ToolNode;
  agent(
    model: ScriptedModel,
    tools: readonly AgentTool[],
    saver?: BaseCheckpointSaver,
  ): ReturnType<typeof createAgent>['graph'];
}

function guardOf() {
  return createLangGraphGuard({ registry: caseRegistry, ledger: memoryLedger() });
}

export const sides: readonly Side[] = [
  {
    name: 'their own',
    isOurs: false,
    node: (tools) => new ToolNode([...tools]),
    agent: (model, tools, checkpointer) =>
      createAgent({
        model,
        tools: [...tools] as StructuredToolInterface[],
        ...(checkpointer === undefined ? {} : { checkpointer }),
      }).graph as never,
  },
  {
    name: 'with the guard',
    isOurs: true,
    node: (tools) => guardOf().toolNode(tools),
    agent(model, tools, saver) {
      const guard = guardOf();
      return createAgent({
        model,
        tools: [...tools] as StructuredToolInterface[],
        middleware: [guardMiddleware(guard)],
        ...(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) }),
      }).graph as never;
    },
  },
];

/** A graph of a model and a tool node. */
export function graphOf(model: ScriptedModel, node: ToolNode, checkpointer?: BaseCheckpointSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', node)
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition, ['tools', END])
    .addEdge('tools', 'agent')
    .compile(checkpointer === undefined ? {} : { checkpointer });
}
