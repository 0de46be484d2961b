import type { CallContext } from '@holdfast/call-guard';
import type { CallActivity } from './call-activity.js';
import type { CallParts } from './call-parts.js';
import { relabeled, resultResponse } from './call-result.js';
import { purposeUntil, type Reply } from './own-requests.js';
import { outputOf, progressOf, sendCall } from './send-call.js';
import { withoutServerWord } from './server-word.js';
import type { ToolCall } from './tool-call.js';

/**
 * Sends a call on that has passed the gate already, as the tool that makes it: under its key, within its time.
 *
 * @param signal aborted when the host gives the call up
 * @param respond takes the response for its host
 * @throws what keeps it from an answer
 */
export async function passCall(
  call: ToolCall,
  signal: AbortSignal,
  passed: CallContext,
  activity: CallActivity,
  parts: CallParts,
  respond: (response: string) => void,
): Promise<void> {
  const onProgress = progressOf(call, parts);
  const isRead = parts.registry.tools.get(call.tool)?.idempotency.class === 'read';
  const responseOf = (reply: Reply): string => {
    switch (reply.replied) {
      case 'result':
        return resultResponse(call.id, withoutServerWord(reply.text));
      case 'error':
        return relabeled(reply.text, call.id);
      case 'oversized':
        return resultResponse(call.id, outputOf(reply, isRead).text);
    }
  };
  const hears = { onProgress, activity };
  await sendCall(call, passed, hears, purposeUntil(signal), parts, (reply) =>
    respond(responseOf(reply)),
  );
}
