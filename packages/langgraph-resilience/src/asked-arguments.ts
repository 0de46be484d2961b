import type { CallRequest, Run } from '@holdfast/call-guard';
import { AIMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { AdapterParts } from './adapter-parts.js';
import type { Asked } from './asked-calls.js';
import { messagesOf } from './graph-messages.js';
import { copyOfAIMessage } from './message-copy.js';
import { isRecord } from './record.js';
import { isAIMessage, sameCall } from './turn.js';

/**
 * The message with a note of what its calls with effects were asked with. People change calls in the
 * conversation before they run (an approval with edits, `updateState`), and only the note tells afterwards.
 * Providers are not sent it.
 *
 * @param message as the model made it, whole
 */
export function withNoteOfAsked<A>(message: A, run: Run, parts: AdapterParts): A {
  if (!AIMessage.isInstance(message)) return message;
  const calls = (message.tool_calls ?? []).filter(
    ({ id, name }) => id !== undefined && id !== '' && hasEffects(name, parts),
  );
  if (calls.length === 0) return message;
  const asked: Record<string, Asked> = {};
  for (const { id = '', name, args } of calls) {
    asked[id] = { name, args: structuredClone(args) };
    parts.asked.note(run, id, { name, args: structuredClone(args) });
  }
  const { response_metadata } = message;
  const noted = isRecord(response_metadata.holdfast) ? response_metadata.holdfast : {};
  return copyOfAIMessage(message, {
    response_metadata: { ...response_metadata, holdfast: { ...noted, asked } },
  }) as typeof message;
}

/** The request with what the model asked for, where the conversation holds something else by now. */
export function withAsked(
  request: CallRequest,
  config: RunnableConfig | undefined,
  run: Run,
  parts: AdapterParts,
): CallRequest {
  const asked = noteOf(request.callId, config) ?? parts.asked.find(run, request.callId);
  const args = isRecord(request.args) ? request.args : undefined;
  if (asked?.name !== request.tool || args === undefined) return request;
  return sameCall(asked, { name: request.tool, args })
    ? request
    : { ...request, asked: asked.args };
}

function noteOf(callId: string, config: RunnableConfig | undefined): Asked | undefined {
  const message = (messagesOf(config) ?? []).findLast(
    (one) => isAIMessage(one) && (one.tool_calls ?? []).some(({ id }) => id === callId),
  );
  const note: unknown = message?.response_metadata?.holdfast;
  const asked = isRecord(note) && isRecord(note.asked) ? note.asked[callId] : undefined;
  return isRecord(asked) && typeof asked.name === 'string' && isRecord(asked.args)
    ? { name: asked.name, args: asked.args }
    : undefined;
}

function hasEffects(tool: string, { registry, toolNames }: AdapterParts): boolean {
  const entry = registry.tools.get(tool);
  if (entry === undefined) return toolNames.has(tool);
  return entry.idempotency.class !== 'read' && entry.idempotency.class !== 'delegates';
}
