import type { Invokable } from '@holdfast/langgraph-resilience';
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import { createReactAgent, ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { createAgent } from 'langchain';
import { functionalAgent } from '../../support/functional-agent.js';
import { chargeTool } from './charge-tools.js';
import type { CrashPoint } from './crash-point.js';
import type { AgentName, Job } from './job.js';
import { ScriptedModel } from './scripted-model.js';

interface Parts {
  readonly model: ScriptedModel;
  readonly tools: ReturnType<typeof chargeTool>[];
  readonly checkpointer: BaseCheckpointSaver;
}

const makers: Record<AgentName, (parts: Parts) => Invokable> = {
  'createAgent v1': (parts) => createAgent({ ...parts, version: 'v1' }),
  'createAgent v2': (parts) => createAgent({ ...parts, version: 'v2' }),
  'createReactAgent v1': (parts) => reactAgent(parts, 'v1'),
  'createReactAgent v2': (parts) => reactAgent(parts, 'v2'),
  'StateGraph with ToolNode': (parts) => graph(parts, toolsCondition),
  'StateGraph with guard.toolNode': (parts) => graph(parts, toolsCondition),
  'StateGraph with guard.route': (parts) => graph(parts, oneSendPerCall),
  entrypoint: ({ model, tools: [charge], checkpointer }) =>
    functionalAgent({
      askModel: (messages) => model.invoke(messages),
      async callTool(call) {
        if (charge === undefined) throw new TypeError('no tool');
        return charge.invoke({ ...call, type: 'tool_call' });
      },
      checkpointer,
    }),
};

/** The agent as it was before anyone thought of a guard. */
export function stockAgent(job: Job, checkpointer: BaseCheckpointSaver, crash: CrashPoint) {
  // Stock code knows no keys, so how its service treats them makes no difference.
  const charge = chargeTool({ ...job, class: 'undeclared', send: fetch }, crash);
  return makers[job.agent]({ model: new ScriptedModel(), tools: [charge], checkpointer });
}

function reactAgent({ model, ...rest }: Parts, version: 'v1' | 'v2'): Invokable {
  return createReactAgent({ llm: model, ...rest, version });
}

type State = typeof MessagesAnnotation.State;

function graph(
  { model, tools, checkpointer }: Parts,
  route: (state: State) => string | Send[],
): Invokable {
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', route, ['tools', END])
    .addEdge('tools', 'agent')
    .compile({ checkpointer });
}

/** As LangGraph's own `createReactAgent` v2 has it. */
function oneSendPerCall(state: State): string | Send[] {
  const last = state.messages.at(-1);
  const calls = AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
  if (calls.length === 0) return END;
  return calls.map((call) => new Send('tools', { ...state, lg_tool_call: call }));
}
