import type { CallContext } from '@holdfast/call-guard';
import type { CallActivity } from './call-activity.js';
import type { CallParts } from './call-parts.js';
import { relabeled, resultResponse } from './call-result.js';
import { outputOf, progressOf, sendCall } from './send-call.js';
import { withoutServerWord } from './server-word.js';
import type { ToolCall } from './tool-call.js';

/**
 * Sends a call on that has passed the gate already, as the tool that makes it: under its key, within its time.
 *
 * @param signal aborted when the host gives the call up
 * @throws what keeps it from an answer
 */
export async function passCall(
  call: ToolCall,
  signal: AbortSignal,
  passed: CallContext,
  activity: CallActivity,
  parts: CallParts,
): Promise<string> {
  const onProgress = progressOf(call, parts);
  const isRead = parts.registry.tools.get(call.tool)?.idempotency.class === 'read';
  return sendCall(call, passed, { onProgress, activity }, { signal }, parts, (reply) => {
    switch (reply.replied) {
      case 'result':
        return resultResponse(call.id, withoutServerWord(reply.text));
      case 'error':
        return relabeled(reply.text, call.id);
      case 'oversized':
        return resultResponse(call.id, outputOf(reply, isRead).text);
    }
  });
}
