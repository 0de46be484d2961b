import type { CallFlaw } from '@holdfast/call-guard';
import type { AIMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { copyOfAIMessage } from './message-copy.js';

/** What is known of a call beside its name, id and arguments. */
interface CallMark {
  /** Why it must not be made. */
  readonly flaw?: CallFlaw;
  /** Where it stands, for code that is handed the call without its conversation. */
  readonly place?: { readonly messageId: string; readonly position: number };
}

/** A call with its mark, which goes wherever the call is handed on, through checkpoints too. */
interface MarkedCall extends ToolCall {
  readonly holdfast?: CallMark;
}

export function markOf(call: ToolCall): CallMark | undefined {
  return (call as MarkedCall).holdfast;
}

export function withMark(call: ToolCall, mark: CallMark): ToolCall {
  const marked: MarkedCall = { ...call, holdfast: { ...markOf(call), ...mark } };
  return marked;
}

/** The message with each call knowing its place. */
export function withPlaces(message: AIMessage, messageId: string): AIMessage {
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return message;
  return copyOfAIMessage(message, {
    id: messageId,
    tool_calls: calls.map((call, position) => withMark(call, { place: { messageId, position } })),
  });
}
