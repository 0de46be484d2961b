import { sha256 } from '@holdfast/tool-registry';
import type { AIMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { copyOfAIMessage } from './message-copy.js';

/**
 * The message with an id of its own for each call: some providers send none, some number from zero in each
 * message. The same message where nothing is to be changed.
 *
 * @param taken ids that are in use elsewhere
 * @param makeId the id for the call at a position
 */
export function withOwnCallIds(
  message: AIMessage,
  taken: ReadonlySet<string>,
  makeId: (position: number) => string,
): AIMessage {
  const calls = message.tool_calls ?? [];
  const seen = new Set(taken);
  const ids = calls.map(({ id }, position) => {
    const own = id === undefined || id === '' || seen.has(id) ? makeId(position) : id;
    seen.add(own);
    return own;
  });
  return withCallIds(message, ids);
}

/** An id for a call that has none, the same whenever it is made: a node may be entered again. */
export function idForPosition(messageId: string, position: number): string {
  return `call_${sha256(`${messageId}/${position}`).slice(0, 24)}`;
}

/** The message with these ids for its calls, in all the places where providers' messages repeat them. */
export function withCallIds(message: AIMessage, ids: readonly string[]): AIMessage {
  const calls = message.tool_calls ?? [];
  if (calls.every(({ id }, position) => id === ids[position])) return message;
  const renamed = calls.map((call, position): ToolCall => ({ ...call, id: ids[position] ?? '' }));
  return copyOfAIMessage(message, {
    tool_calls: renamed,
    content: renamedBlocks(message.content, calls, ids),
    additional_kwargs: renamedRawCalls(message.additional_kwargs, calls, ids),
  });
}

/** Anthropic's messages, and LangChain's own standard ones, hold the calls among their content, too. */
function renamedBlocks(
  content: AIMessage['content'],
  calls: readonly ToolCall[],
  ids: readonly string[],
): AIMessage['content'] {
  if (!Array.isArray(content)) return content;
  const rename = renaming(calls, ids);
  return content.map((block) =>
    block.type === 'tool_use' || block.type === 'tool_call'
      ? { ...block, id: rename(block.id) ?? '' }
      : block,
  );
}

/** OpenAI's raw calls stand beside the message. */
function renamedRawCalls(
  raw: AIMessage['additional_kwargs'],
  calls: readonly ToolCall[],
  ids: readonly string[],
): AIMessage['additional_kwargs'] {
  if (!Array.isArray(raw.tool_calls)) return raw;
  const rename = renaming(calls, ids);
  return {
    ...raw,
    tool_calls: raw.tool_calls.map((call) => ({ ...call, id: rename(call.id) ?? call.id })),
  };
}

/** The new id of each mention of an old one, in the order of the calls that share it. */
function renaming(
  calls: readonly ToolCall[],
  ids: readonly string[],
): (old: unknown) => string | undefined {
  const left = calls.map(({ id }, position) => ({ old: id ?? '', id: ids[position] }));
  return (old) => {
    const at = left.findIndex((mention) => mention.old === (old ?? ''));
    const [mention] = at < 0 ? [] : left.splice(at, 1);
    return mention?.id ?? (typeof old === 'string' ? old : undefined);
  };
}
