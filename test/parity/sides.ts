/** The two sides of the parity suite: what LangGraph and LangChain make, and the same with the guard. */
import { memoryLedger } from '@holdfast/effect-ledger';
import { type AnyTool, createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import type { StructuredToolInterface } from '@langchain/core/tools';
import {
  type BaseCheckpointSaver,
  END,
  type InMemoryStore,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createReactAgent, ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { caseRegistry } from '../support/case-registry.js';
import type { ScriptedModel } from '../support/scripted-model.js';

type Tools = readonly AnyTool[];
/** What an agent may have beside its own tools: those that its provider runs. */
type AgentTool = StructuredToolInterface | Record<string, unknown>;

interface NodeOptions {
  readonly handleToolErrors?: boolean;
}

/** A tool node, theirs or ours. */
export interface NodeSide {
  readonly name: string;
  /** Which of the listed differences apply. */
  readonly isOurs: boolean;
  node(tools: Tools, options?: NodeOptions): ToolNode;
}

/** An agent, as it is or with the guard. */
export interface AgentSide {
  readonly name: string;
  readonly isOurs: boolean;
  /** Whether each call of a message is a task of its own. */
  readonly sends: boolean;
  /** Whether calls of one task ask a person together: only the guard's own tool node can. */
  readonly asksTogether: boolean;
  agent(
    model: ScriptedModel,
    tools: readonly AgentTool[],
    saver?: BaseCheckpointSaver,
  ): ReturnType<typeof createAgent>['graph'];
}

function guardOf(mode: 'enforce' | 'off' | 'shadow' = 'enforce') {
  return createLangGraphGuard({ registry: caseRegistry, ledger: memoryLedger(), mode });
}

export const nodeSides: readonly NodeSide[] = [
  {
    name: 'their own',
    isOurs: false,
    node: (tools, options) => new ToolNode([...tools], options),
  },
  {
    name: 'with the guard',
    isOurs: true,
    node: (tools, options) => guardOf().toolNode(tools, options),
  },
  ...(['off', 'shadow'] as const).map((mode) => ({
    name: `with a guard in mode ${mode}`,
    isOurs: false,
    node: (tools: Tools, options?: NodeOptions) => guardOf(mode).toolNode(tools, options),
  })),
];

const modes = ['enforce', 'off', 'shadow'] as const;

function agentSides(version: 'v1' | 'v2'): readonly AgentSide[] {
  const sends = version === 'v2';
  // Agents of both makers have the same doors; their types share nothing.
  return [
    {
      name: `createAgent ${version} as it is`,
      isOurs: false,
      sends,
      asksTogether: false,
      agent: (model, tools, checkpointer) =>
        createAgent({
          model,
          tools: [...tools] as StructuredToolInterface[],
          version,
          ...(checkpointer === undefined ? {} : { checkpointer }),
        }).graph as never,
    },
    ...modes.map(
      (mode): AgentSide => ({
        name: `createAgent ${version} with a guard in mode ${mode}`,
        isOurs: mode === 'enforce',
        sends,
        asksTogether: false,
        agent(model, tools, saver) {
          const guard = guardOf(mode);
          return createAgent({
            model,
            tools: [...tools] as StructuredToolInterface[],
            version,
            middleware: [guardMiddleware(guard)],
            ...(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) }),
          }).graph as never;
        },
      }),
    ),
    {
      name: `createReactAgent ${version} as it is`,
      isOurs: false,
      sends,
      asksTogether: false,
      agent: (model, tools, checkpointer) =>
        createReactAgent({
          llm: model,
          tools: [...tools] as StructuredToolInterface[],
          version,
          ...(checkpointer === undefined ? {} : { checkpointer }),
        }) as never,
    },
    ...modes.map(
      (mode): AgentSide => ({
        name: `createReactAgent ${version} with a guard in mode ${mode}`,
        isOurs: mode === 'enforce',
        sends,
        asksTogether: mode === 'enforce',
        agent(model, tools, saver) {
          const guard = guardOf(mode);
          return createReactAgent({
            llm: guard.model(model),
            tools: guard.toolNode(tools as Tools),
            version,
            ...(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) }),
          }) as never;
        },
      }),
    ),
  ];
}

export const agents: readonly AgentSide[] = [...agentSides('v1'), ...agentSides('v2')];

/** A graph of a model and a tool node. */
export function graphOf(
  model: ScriptedModel,
  node: ToolNode,
  checkpointer?: BaseCheckpointSaver,
  store?: InMemoryStore,
) {
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', node)
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition, ['tools', END])
    .addEdge('tools', 'agent')
    .compile({
      ...(checkpointer === undefined ? {} : { checkpointer }),
      ...(store === undefined ? {} : { store }),
    });
}
