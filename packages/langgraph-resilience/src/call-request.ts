import type { CallFlaw } from '@holdfast/call-guard';
import type { BaseMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { AdapterParts } from './adapter-parts.js';
import { flawOf, withFlaws } from './call-flaws.js';
import { markOf } from './call-mark.js';
import { messagesOf } from './graph-messages.js';
import { type GraphPosition, positionOf } from './pregel-config.js';
import { type CallPlace, placeOfCall } from './turn.js';

/** What a call looks like to the gate. */
export function requestOf(
  tool: string,
  args: unknown,
  callId: string,
  call: ToolCall | undefined,
  config: RunnableConfig | undefined,
): Parameters<AdapterParts['guard']['call']>[0] {
  const messages = messagesOf(config);
  const position = positionOf(config);
  const place =
    messages === undefined
      ? undefined
      : placeOfCall(messages, call ?? { id: callId, name: tool, args: {} });
  const flaw = flawIn(call, place);
  const inMessage = place ?? placeWithout(messages, call, position);
  return {
    tool,
    args,
    callId,
    ...(flaw === undefined ? {} : { flaw }),
    ...(config?.signal === undefined ? {} : { signal: config.signal }),
    ...(place === undefined ? {} : { siblings: place.siblings }),
    ...(position.taskId === undefined && inMessage === undefined
      ? {}
      : {
          place: {
            ...(inMessage?.messageId === undefined ? {} : { messageId: inMessage.messageId }),
            ...(inMessage?.position === undefined ? {} : { position: inMessage.position }),
            ...(position.checkpointNs === undefined ? {} : { checkpointNs: position.checkpointNs }),
            ...(position.checkpoint === undefined ? {} : { checkpointId: position.checkpoint.id }),
            ...(position.taskId === undefined ? {} : { taskId: position.taskId }),
            ...(position.step === undefined ? {} : { step: position.step }),
          },
        }),
  };
}

/**
 * Where a call stands that is made without its conversation, as in a flow of tasks: as its mark says; else
 * in its task, which LangGraph gives the same id when it goes on from the same checkpoint.
 */
function placeWithout(
  messages: readonly BaseMessage[] | undefined,
  call: ToolCall | undefined,
  { taskId }: GraphPosition,
): { readonly messageId: string; readonly position?: number } | undefined {
  const marked = call === undefined ? undefined : markOf(call)?.place;
  if (marked !== undefined) return marked;
  if (messages !== undefined || taskId === undefined) return undefined;
  return { messageId: `task ${taskId}` };
}

/** What is wrong with a call, by a mark of its own or by the message that it stands in. */
function flawIn(call: ToolCall | undefined, place: CallPlace | undefined): CallFlaw | undefined {
  const marked = call === undefined ? undefined : flawOf(call);
  if (marked !== undefined || place === undefined) return marked;
  const inMessage = withFlaws(place.message, () => false).tool_calls?.[place.position];
  return inMessage === undefined ? undefined : flawOf(inMessage);
}
