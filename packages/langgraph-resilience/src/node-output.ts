import type { AIMessage, ToolMessage } from '@langchain/core/messages';
import { Command, isCommand, Send } from '@langchain/langgraph';

/** What a tool call gives its graph. */
export type CallOutput = ToolMessage | Command;

/**
 * What a tool node returns for the outputs of its calls, as LangGraph's does: an update with the messages;
 * with a command among them a list, in which those that only send to the parent graph are one.
 *
 * @param mended the model's message where its calls were given ids, which the conversation has to learn
 * @param isList whether the graph's state is a list of messages
 */
export function combined(
  outputs: readonly CallOutput[],
  mended: AIMessage | undefined,
  isList: boolean,
): unknown {
  const first = mended === undefined ? [] : [mended];
  const update = (messages: readonly unknown[]): unknown => (isList ? messages : { messages });
  if (!outputs.some(isCommand)) return update([...first, ...outputs]);
  const sends = outputs.flatMap((output) => sendsToParent(output) ?? []);
  return [
    ...first.map((message) => update([message])),
    ...outputs
      .filter((output) => sendsToParent(output) === undefined)
      .map((output) => (isCommand(output) ? output : update([output]))),
    ...(sends.length === 0 ? [] : [new Command({ graph: Command.PARENT, goto: sends })]),
  ];
}

/** The sends of a command that does nothing but send to the parent graph. */
function sendsToParent(output: CallOutput): Send[] | undefined {
  if (!isCommand(output) || output.graph !== Command.PARENT) return undefined;
  const { goto } = output;
  return Array.isArray(goto) && goto.every(isSend) ? goto : undefined;
}

/** Of whichever copy of LangGraph. */
function isSend(target: unknown): target is Send {
  return (
    target instanceof Send ||
    (typeof target === 'object' && target !== null && Reflect.get(target, 'lg_name') === 'Send')
  );
}
