import type { Sibling } from '@holdfast/call-guard';
import type { Place } from '@holdfast/effect-ledger';
import { canonicalJson, sha256 } from '@holdfast/tool-registry';
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';

/** What a person asked for: the human messages that a turn of the conversation begins with. */
export interface HumanInput {
  /** Id of the last of them. */
  readonly id: string;
  /** Digest of what they say: a message sent again has the same. */
  readonly digest: string;
}

/** Where a call stands in a conversation. */
export interface CallPlace {
  readonly message: AIMessage;
  readonly messageId?: string;
  readonly position: number;
  readonly siblings: readonly Sibling[];
}

/**
 * Finds a call in the last AI message that holds it: by its id, and by its arguments where it has none or
 * shares it with another call of the message.
 */
export function placeOfCall(
  messages: readonly BaseMessage[],
  call: Pick<ToolCall, 'id' | 'name' | 'args'>,
): CallPlace | undefined {
  for (const message of [...messages].reverse()) {
    if (!isAIMessage(message)) continue;
    const calls = message.tool_calls ?? [];
    const isNamed = (other: ToolCall): boolean =>
      other.name === call.name && (other.id === call.id || call.id === undefined || call.id === '');
    const exact = calls.findIndex((other) => isNamed(other) && sameCall(other, call));
    const position = exact < 0 && call.id ? calls.findIndex(isNamed) : exact;
    if (position < 0) continue;
    return {
      message,
      position,
      siblings: calls.map(({ name, args }) => ({ tool: name, args })),
      ...(message.id === undefined ? {} : { messageId: message.id }),
    };
  }
  return undefined;
}

/** The human input that the newest turn answers. */
export function humanInputOf(messages: readonly BaseMessage[]): HumanInput | undefined {
  const last = messages.findLastIndex((message) => message.getType() === 'human');
  const id = messages[last]?.id;
  if (id === undefined) return undefined;
  const before = messages.slice(0, last).findLastIndex((message) => message.getType() !== 'human');
  return { id, digest: digestOf(messages.slice(before + 1, last + 1)) };
}

/** Digest of what messages say, whatever their ids. */
export function digestOf(messages: readonly BaseMessage[]): string {
  const said = messages
    .filter((message) => message.getType() === 'human')
    .map(({ content }) => content);
  return sha256(canonicalJson(JSON.parse(JSON.stringify(said))));
}

/** What followed a human message before the next one; empty where the message is not in the conversation. */
export function turnOf(messages: readonly BaseMessage[], inputId: string): readonly BaseMessage[] {
  const at = messages.findIndex((message) => message.id === inputId);
  if (at < 0) return [];
  const after = messages.slice(at + 1);
  const next = after.findIndex((message) => message.getType() === 'human');
  return next < 0 ? after : after.slice(0, next);
}

/** Whether the conversation went on to another human message after the one that holds the call. */
export function isLeftBehind(messages: readonly BaseMessage[], place: Place): boolean {
  const at = messages.findIndex(
    (message) => message.getType() === 'ai' && message.id === place.messageId,
  );
  return at >= 0 && messages.slice(at + 1).some((message) => message.getType() === 'human');
}

/** Whether the conversation holds the answer of the call at this place. */
export function isAnsweredCall(messages: readonly BaseMessage[], place: Place): boolean {
  const at = messages.findIndex(
    (message) => message.getType() === 'ai' && message.id === place.messageId,
  );
  if (at < 0) return false;
  return messages
    .slice(at + 1)
    .some((message) => isToolMessage(message) && message.tool_call_id === place.callId);
}

export function isAIMessage(message: BaseMessage): message is AIMessage {
  return message.getType() === 'ai';
}

export function isToolMessage(message: BaseMessage): message is ToolMessage {
  return message.getType() === 'tool';
}

/** Whether two calls are of the same tool with the same arguments. */
export function sameCall(
  a: Pick<ToolCall, 'name' | 'args'>,
  b: Pick<ToolCall, 'name' | 'args'>,
): boolean {
  if (a.name !== b.name) return false;
  try {
    return canonicalJson(a.args) === canonicalJson(b.args);
  } catch {
    return false;
  }
}
