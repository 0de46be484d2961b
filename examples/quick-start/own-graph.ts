import type { LangGraphGuard } from '@holdfast/langgraph-resilience';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import type { StructuredToolInterface } from '@langchain/core/tools';
import {
  addMessages,
  type BaseCheckpointSaver,
  END,
  entrypoint,
  MessagesAnnotation,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';

interface Parts {
  readonly guard: LangGraphGuard;
  readonly model: BaseChatModel;
  readonly tools: readonly StructuredToolInterface[];
  readonly saver: BaseCheckpointSaver;
}

// A graph of your own. guard.route gives each call a task: what it did is stored when it ends, and a
// question to a person keeps its own place. LangGraph's toolsCondition fits as well.
export const ownGraph = ({ guard, model, tools, saver }: Parts) =>
  new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({
      messages: [await guard.model(model).invoke(messages)],
    }))
    .addNode('tools', guard.toolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', guard.route('tools'), ['tools', END])
    .addEdge('tools', 'agent')
    .compile({ checkpointer: guard.checkpointer(saver) });

// The functional API: guarded tools and a guarded model in tasks.
export function ownFlow({ guard, model, tools, saver }: Parts) {
  const guarded = guard.tools(tools);
  const ask = task('ask', (messages: BaseMessage[]) => guard.model(model).invoke(messages));
  const call = task('call', async (given: ToolCall) => {
    const tool = guarded.find(({ name }) => name === given.name);
    return tool?.invoke({ ...given, type: 'tool_call' });
  });
  return entrypoint(
    { name: 'flow', checkpointer: guard.checkpointer(saver) },
    async ({ messages: asked }: { messages: BaseMessage[] }) => {
      let messages = asked;
      for (;;) {
        const answer = await ask(messages);
        messages = addMessages(messages, [answer]);
        const calls = answer.tool_calls ?? [];
        if (calls.length === 0) return { messages };
        // Hand on the call as it is: it knows its place in the conversation.
        messages = addMessages(messages, await Promise.all(calls.map((one) => call(one))));
      }
    },
  );
}
