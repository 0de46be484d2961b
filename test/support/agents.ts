import type { LangGraphGuard } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { StructuredToolInterface } from '@langchain/core/tools';
import {
  type BaseCheckpointSaver,
  END,
  MessagesAnnotation,
  type RetryPolicy,
  START,
  StateGraph,
  type StateSnapshot,
} from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { type AgentMiddleware, createAgent } from 'langchain';
import type { ScriptedModel } from './scripted-model.js';

interface TestConfig extends RunnableConfig {
  readonly durability?: 'sync' | 'async' | 'exit';
  readonly interruptBefore?: 'tools'[];
}

/** What the cases need of an agent; LangGraph's own types differ from graph to graph. */
export interface TestAgent {
  invoke(input: unknown, config?: TestConfig): Promise<{ messages: BaseMessage[] }>;
  stream(input: unknown, config?: TestConfig): Promise<AsyncIterable<unknown>>;
  getState(config: RunnableConfig): Promise<StateSnapshot>;
  getStateHistory(config: RunnableConfig): AsyncIterable<StateSnapshot>;
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
}

export interface AgentSetting {
  readonly guard: LangGraphGuard;
  readonly model: ScriptedModel;
  readonly tools: readonly StructuredToolInterface[];
  /** Wrapped by the guard. Default: none. */
  readonly saver?: BaseCheckpointSaver;
  /** Of the tools node; an agent of `createAgent` has no such options. */
  readonly node?: { readonly retryPolicy?: RetryPolicy; readonly timeout?: number };
  /** Other people's middleware around the guard's; hand-made graphs have none. */
  readonly outer?: readonly AgentMiddleware[];
  /** Other people's middleware inside the guard's. */
  readonly inner?: readonly AgentMiddleware[];
}

export interface AgentKind {
  readonly name: string;
  /** The node that asks the model. */
  readonly modelNode: string;
  make(setting: AgentSetting): TestAgent;
}

/** LangChain's agent: one task per tool call. */
const langChainAgent: AgentKind = {
  name: 'createAgent',
  modelNode: 'model_request',
  make({ guard, model, tools, saver, outer = [], inner = [] }) {
    const agent = createAgent({
      model,
      tools: [...tools],
      middleware: [...outer, guardMiddleware(guard), ...inner],
      ...(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) }),
    });
    return agent.graph;
  },
};

/** A graph of one's own with LangGraph's tool node: one task for all calls of a message. */
const handMadeGraph: AgentKind = {
  name: 'StateGraph with ToolNode',
  modelNode: 'agent',
  make({ guard, model, tools, saver, node }) {
    return new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', new ToolNode(guard.tools(tools)), { ...node })
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', toolsCondition, ['tools', END])
      .addEdge('tools', 'agent')
      .compile(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) });
  },
};

/** Both agents that the cases run on. */
export const agentKinds: readonly AgentKind[] = [langChainAgent, handMadeGraph];
export { handMadeGraph, langChainAgent };
