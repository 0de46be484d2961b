import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { withFlaws } from './call-flaws.js';
import { idForPosition, withOwnCallIds } from './call-ids.js';
import { isAIMessage, isToolMessage, sameCall } from './turn.js';

/** What is to be done about the newest message of the model. */
export interface OpenCalls {
  /** The message as the conversation holds it. */
  readonly given: AIMessage;
  /** The same, each call under an id of its own, and what is wrong with it marked. */
  readonly message: AIMessage;
  /** The conversation with that message. */
  readonly messages: readonly BaseMessage[];
  /** Its calls, those that are answered left out. */
  readonly calls: readonly ToolCall[];
}

/**
 * Undefined where the model has not spoken. Only an answer that follows the message counts: providers use
 * the ids of earlier turns again.
 */
export function openCalls(
  messages: readonly BaseMessage[],
  newId: () => string,
): OpenCalls | undefined {
  const at = messages.findLastIndex(isAIMessage);
  const given = messages[at];
  if (given === undefined || !isAIMessage(given)) return undefined;
  const seed = given.id ?? newId();
  const whole = withFlaws(given, () => true);
  const message = withOwnCallIds(whole, new Set(), (position) => idForPosition(seed, position));
  const after = messages.slice(at + 1);
  const answered = new Set(after.filter(isToolMessage).map((answer) => answer.tool_call_id));
  return {
    given,
    message,
    messages: message === given ? messages : [...messages.slice(0, at), message, ...after],
    calls: (message.tool_calls ?? []).filter(({ id }) => !answered.has(id ?? '')),
  };
}

/**
 * The call of the message that a task of its own was made for.
 *
 * @param index the place of the task among those made with it, which tells equal calls apart
 */
export function callOfTask(call: ToolCall, open: OpenCalls, index: number | undefined): ToolCall {
  const alike = (open.given.tool_calls ?? []).flatMap((other, position) =>
    other.id === call.id && sameCall(other, call) ? [position] : [],
  );
  const position = alike.find((one) => one === index) ?? alike[0];
  return (position === undefined ? undefined : open.message.tool_calls?.[position]) ?? call;
}
