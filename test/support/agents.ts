import type { LangGraphGuard } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
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
import { createReactAgent, ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { type AgentMiddleware, createAgent } from 'langchain';
import { functionalAgent } from './functional-agent.js';

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

export type NodeTimeout = number | { readonly runTimeout?: number; readonly idleTimeout?: number };

export interface AgentSetting {
  readonly guard: LangGraphGuard;
  readonly model: BaseChatModel;
  readonly tools: readonly StructuredToolInterface[];
  /** Wrapped by the guard. Default: none. */
  readonly saver?: BaseCheckpointSaver;
  /** Of the tools node; only graphs of one's own have such options. */
  readonly node?: { readonly retryPolicy?: RetryPolicy; readonly timeout?: NodeTimeout };
  /** Other people's middleware around the guard's; only LangChain's agents have any. */
  readonly outer?: readonly AgentMiddleware[];
  /** Other people's middleware inside the guard's. */
  readonly inner?: readonly AgentMiddleware[];
}

export interface AgentKind {
  readonly name: string;
  /** The node that asks the model; a flow of the functional API has none to stop before or to fork at. */
  readonly modelNode: string | undefined;
  /** Whether each call of a message is a task of its own, or all of them are one. */
  readonly tasks: 'one per call' | 'one per message';
  /** Whether the model is asked through the guard. */
  readonly guardsModel: boolean;
  /** Whether its tools node has options of its own. */
  readonly takesNodeOptions: boolean;
  make(setting: AgentSetting): TestAgent;
}

function langChainAgent(version: 'v1' | 'v2'): AgentKind {
  return {
    name: `createAgent ${version}`,
    modelNode: 'model_request',
    tasks: version === 'v1' ? 'one per message' : 'one per call',
    guardsModel: true,
    takesNodeOptions: false,
    make({ guard, model, tools, saver, outer = [], inner = [] }) {
      const agent = createAgent({
        model,
        tools: [...tools],
        middleware: [...outer, guardMiddleware(guard), ...inner],
        version,
        ...(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) }),
      });
      return agent.graph;
    },
  };
}

function reactAgent(version: 'v1' | 'v2'): AgentKind {
  return {
    name: `createReactAgent ${version}`,
    modelNode: 'agent',
    tasks: version === 'v1' ? 'one per message' : 'one per call',
    guardsModel: true,
    takesNodeOptions: false,
    make: ({ guard, model, tools, saver }) =>
      createReactAgent({
        llm: guard.model(model),
        tools: guard.toolNode(tools),
        version,
        ...(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) }),
      }),
  };
}

/** A graph of one's own; `how` says what of it is the guard's. */
function graphOfOnesOwn(
  name: string,
  how: {
    readonly guardsModel: boolean;
    readonly tools: 'guard.tools' | 'guard.toolNode';
    readonly sends: boolean;
  },
): AgentKind {
  return {
    name,
    modelNode: 'agent',
    tasks: how.sends ? 'one per call' : 'one per message',
    guardsModel: how.guardsModel,
    takesNodeOptions: true,
    make({ guard, model, tools, saver, node }) {
      const asked = how.guardsModel ? guard.model(model) : model;
      const toolNode =
        how.tools === 'guard.toolNode' ? guard.toolNode(tools) : new ToolNode(guard.tools(tools));
      const route = how.sends ? guard.route('tools') : toolsCondition;
      return new StateGraph(MessagesAnnotation)
        .addNode('agent', async ({ messages }) => ({ messages: [await asked.invoke(messages)] }))
        .addNode('tools', toolNode, { ...node })
        .addEdge(START, 'agent')
        .addConditionalEdges('agent', route, ['tools', END])
        .addEdge('tools', 'agent')
        .compile(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) });
    },
  };
}

const flow: AgentKind = {
  name: 'entrypoint',
  modelNode: undefined,
  tasks: 'one per call',
  guardsModel: true,
  takesNodeOptions: false,
  make({ guard, model, tools, saver }) {
    const asked = guard.model(model);
    const guarded = guard.tools(tools);
    // By LangGraph's types it gives the promise of a promise.
    const agent: object = functionalAgent({
      askModel: (messages) => asked.invoke(messages),
      async callTool(call) {
        const tool = guarded.find(({ name }) => name === call.name);
        if (tool === undefined) throw new Error(`no tool ${call.name}`);
        return tool.invoke({ ...call, type: 'tool_call' });
      },
      ...(saver === undefined ? {} : { checkpointer: guard.checkpointer(saver) }),
    });
    return agent as TestAgent;
  },
};

/** LangChain's agent as it is made by default: one task per tool call. */
export const agentWithMiddleware = langChainAgent('v2');

/** A graph of one's own with LangGraph's tool node: guarded tools, and nothing else of the guard. */
export const graphWithToolNode = graphOfOnesOwn('StateGraph with ToolNode', {
  guardsModel: false,
  tools: 'guard.tools',
  sends: false,
});

/** A graph of one's own that has everything of the guard. */
export const guardedGraph = graphOfOnesOwn('StateGraph with guard.toolNode', {
  guardsModel: true,
  tools: 'guard.toolNode',
  sends: false,
});

/** All agents that the cases run on. */
export const agentKinds: readonly AgentKind[] = [
  agentWithMiddleware,
  langChainAgent('v1'),
  reactAgent('v1'),
  reactAgent('v2'),
  guardedGraph,
  graphOfOnesOwn('StateGraph with guard.route', {
    guardsModel: true,
    tools: 'guard.toolNode',
    sends: true,
  }),
  graphWithToolNode,
  flow,
];
