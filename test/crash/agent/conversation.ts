import { AIMessage, type BaseMessage, isBaseMessage, ToolMessage } from '@langchain/core/messages';

/** What a graph's output says: its last words, and who spoke, with calls numbered as they first appear. */
export function conversationOf(output: unknown): { text: string; conversation: string[] } {
  const given: unknown =
    typeof output === 'object' && output !== null && 'messages' in output ? output.messages : [];
  const messages = Array.isArray(given) ? given.filter(isBaseMessage) : [];
  const seen: string[] = [];
  const numberOf = (callId: string | undefined): number => {
    const id = callId ?? '';
    if (!seen.includes(id)) seen.push(id);
    return seen.indexOf(id) + 1;
  };
  return {
    text: messages.at(-1)?.text ?? '',
    conversation: messages.map((message) => lineOf(message, numberOf)),
  };
}

function lineOf(message: BaseMessage, numberOf: (callId: string | undefined) => number): string {
  if (ToolMessage.isInstance(message)) return `tool answers ${numberOf(message.tool_call_id)}`;
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const numbers = calls.map(({ id }) => numberOf(id)).join(', ');
  return numbers === '' ? message.getType() : `${message.getType()} calls ${numbers}`;
}
