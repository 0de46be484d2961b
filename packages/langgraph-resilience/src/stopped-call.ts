import type { Approval, Failure } from '@holdfast/call-guard';
import type { AdapterParts } from './adapter-parts.js';
import { messagesIn } from './graph-messages.js';
import { isToolMessage } from './turn.js';
import { isFailure } from './turn-ends.js';

/**
 * What a call of the thread was stopped with, as its newest checkpoint holds it: another process may have
 * stopped it. Undefined where no saver of the guard knows of it.
 */
export async function failureInThread(
  { threadId, callId }: Approval,
  { savers }: AdapterParts,
): Promise<Failure | undefined> {
  if (threadId === undefined) return undefined;
  for (const saver of savers) {
    const tuple = await saver.getTuple({ configurable: { thread_id: threadId } });
    const artifact = Object.values(tuple?.checkpoint.channel_values ?? {})
      // Wherever the graph keeps its conversation.
      .flatMap((value) => messagesIn(value) ?? [])
      .filter(isToolMessage)
      .findLast(({ tool_call_id }) => tool_call_id === callId)?.artifact;
    if (isFailure(artifact)) return artifact;
  }
  return undefined;
}
