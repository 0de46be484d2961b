import { AIMessage, AIMessageChunk, ToolMessage } from '@langchain/core/messages';

type AIChanges = Partial<
  Pick<
    AIMessage,
    | 'id'
    | 'content'
    | 'tool_calls'
    | 'invalid_tool_calls'
    | 'additional_kwargs'
    | 'response_metadata'
  >
>;
type ToolChanges = Partial<Pick<ToolMessage, 'content' | 'tool_call_id' | 'metadata' | 'artifact'>>;

/** The same message of the model, of the same class, with something else in it. */
export function copyOfAIMessage(message: AIMessage, changes: AIChanges): AIMessage {
  const { name, usage_metadata } = message;
  const id = changes.id ?? message.id;
  const fields = {
    content: changes.content ?? message.content,
    additional_kwargs: changes.additional_kwargs ?? message.additional_kwargs,
    response_metadata: changes.response_metadata ?? message.response_metadata,
    tool_calls: changes.tool_calls ?? message.tool_calls ?? [],
    invalid_tool_calls: changes.invalid_tool_calls ?? message.invalid_tool_calls ?? [],
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
  };
  return AIMessageChunk.isInstance(message) ? new AIMessageChunk(fields) : new AIMessage(fields);
}

/** The same answer of a tool with something else in it. */
export function copyOfToolMessage(message: ToolMessage, changes: ToolChanges): ToolMessage {
  const metadata = changes.metadata ?? message.metadata;
  const artifact: unknown = changes.artifact ?? message.artifact;
  return new ToolMessage({
    content: changes.content ?? message.content,
    tool_call_id: changes.tool_call_id ?? message.tool_call_id,
    additional_kwargs: message.additional_kwargs,
    response_metadata: message.response_metadata,
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(message.status === undefined ? {} : { status: message.status }),
    ...(artifact === undefined ? {} : { artifact }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}
