import type { EffectKey } from '@holdfast/effect-ledger';
import type { EventSubject } from '../events/event.js';
import type { Contract } from './call.js';
import type { CallHost } from './host.js';
import type { CallRequest } from './request.js';

/** What the events of a call are about. */
export function subjectOf(
  call: { readonly request: CallRequest; readonly host: CallHost; readonly contract?: Contract },
  more: { readonly key?: EffectKey | undefined; readonly attemptId?: string } = {},
): EventSubject {
  const { run } = call.host;
  return {
    runId: run.runId,
    intentId: run.intentId,
    tenant: run.tenant,
    ...(run.threadId === undefined ? {} : { threadId: run.threadId }),
    callId: call.request.callId,
    tool: call.request.tool,
    ...(call.contract?.declared
      ? {
          toolVersion: call.contract.entry.version,
          resourceGroup: call.contract.entry.resourceGroup,
        }
      : {}),
    ...(more.key === undefined ? {} : { idempotencyKey: more.key }),
    ...(more.attemptId === undefined ? {} : { attemptId: more.attemptId }),
  };
}
