import type { CallFlaw } from '@holdfast/call-guard';
import type { AIMessage } from '@langchain/core/messages';
import type { InvalidToolCall, ToolCall } from '@langchain/core/messages/tool';
import { markOf, withMark } from './call-mark.js';
import { cutOff } from './cut-off.js';
import { copyOfAIMessage } from './message-copy.js';

/** What is kept of arguments that cannot be read. */
const MOST_ECHOED = 200;

/** What is wrong with a call of a message that {@link withFlaws} has gone over. */
export function flawOf(call: ToolCall): CallFlaw | undefined {
  return markOf(call)?.flaw;
}

/**
 * The message with each call that nobody could read among its calls, where it gets an answer, and each call
 * that must not be made marked. LangGraph knows neither: it runs what a cut off message happens to hold,
 * and takes one with unreadable calls only for the end of the run.
 *
 * @param isOurs whether calls of this name are meant; others may be structured output
 */
export function withFlaws(message: AIMessage, isOurs: (name: string) => boolean): AIMessage {
  const reason = cutOff(message);
  const unreadable = (message.invalid_tool_calls ?? []).filter(({ name }) => isOurs(name ?? ''));
  const calls = message.tool_calls ?? [];
  const isMarked = calls.every((call) => flawOf(call) !== undefined);
  if (unreadable.length === 0 && (reason === undefined || isMarked)) return message;
  return copyOfAIMessage(message, {
    tool_calls: [
      ...calls.map((call) => (reason === undefined ? call : marked(call, truncated(reason)))),
      ...unreadable.map((call) => readable(call, reason)),
    ],
    invalid_tool_calls: (message.invalid_tool_calls ?? []).filter(
      (call) => !unreadable.includes(call),
    ),
  });
}

/** The call in a form that graphs and providers take, which it must never be made in. */
function readable({ id, name, args = '' }: InvalidToolCall, reason: string | undefined): ToolCall {
  const echo = args.length <= MOST_ECHOED ? args : `${args.slice(0, MOST_ECHOED)}…`;
  const call: ToolCall = {
    type: 'tool_call',
    name: name || 'unreadable',
    args: {},
    ...(id === undefined ? {} : { id }),
  };
  if (reason !== undefined) return marked(call, truncated(reason, echo));
  const position = whereItBreaks(args);
  const details = position === undefined ? { echo } : { position, echo };
  return marked(call, { kind: 'malformed_call', details });
}

function truncated(finishReason: string, echo?: string): CallFlaw {
  const details = echo === undefined ? { finishReason } : { finishReason, echo };
  return { kind: 'output_truncated', details };
}

function marked(call: ToolCall, flaw: CallFlaw): ToolCall {
  return flawOf(call) === undefined ? withMark(call, { flaw }) : call;
}

/** Where JSON cannot be read any further. Undefined where it is no JSON that is wrong with it. */
function whereItBreaks(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const [, at] = /position (\d+)/.exec(String(error)) ?? [];
    return at === undefined ? text.length : Number(at);
  }
}
