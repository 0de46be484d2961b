import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import {
  addMessages,
  type BaseCheckpointSaver,
  type Command,
  entrypoint,
  getPreviousState,
  isCommand,
  task,
} from '@langchain/langgraph';

interface State {
  readonly messages: BaseMessage[];
}

/** An agent as one writes it with the functional API: a loop, and a task for each thing that it does. */
export function functionalAgent(setting: {
  readonly askModel: (messages: BaseMessage[]) => Promise<AIMessage>;
  readonly callTool: (call: ToolCall) => Promise<ToolMessage | Command>;
  readonly checkpointer?: BaseCheckpointSaver;
}) {
  const askModel = task('model', setting.askModel);
  const callTool = task('tool', setting.callTool);
  const { checkpointer } = setting;
  return entrypoint(
    { name: 'agent', ...(checkpointer === undefined ? {} : { checkpointer }) },
    async (input: State): Promise<State> => {
      let messages = addMessages(getPreviousState<State>()?.messages ?? [], input.messages);
      for (;;) {
        const answer = await askModel(messages);
        messages = addMessages(messages, [answer]);
        const calls = answer.tool_calls ?? [];
        if (calls.length === 0) return { messages };
        const outputs = await Promise.all(calls.map((call) => callTool(call)));
        messages = addMessages(messages, outputs.flatMap(messagesIn));
      }
    },
  );
}

function messagesIn(output: ToolMessage | Command): BaseMessage[] {
  if (!isCommand(output)) return [output];
  const { messages } = output.update as Partial<State>;
  return messages ?? [];
}
