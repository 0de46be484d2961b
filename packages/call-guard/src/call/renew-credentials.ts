import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import type { Declared } from './call.js';
import { subjectOf } from './subject.js';

/** Which credentials a try of the call that begins now uses. */
export function credentialsNow({ contract }: Declared, parts: GateParts): number {
  return contract.declared ? parts.auth.ticketOf(contract.entry.resourceGroup) : 0;
}

/** A try succeeded with the credentials of its ticket. */
export function credentialsWorked({ contract }: Declared, ticket: number, parts: GateParts): void {
  if (contract.declared && contract.class !== 'delegates') {
    parts.auth.worked(contract.entry.resourceGroup, ticket);
  }
}

/** Whether a try that was denied is made once more, with credentials that were renewed. */
export async function withNewCredentials(
  call: Declared,
  failure: FailureFacts,
  tried: { readonly tries: number; readonly ticket: number },
  parts: GateParts,
): Promise<boolean> {
  const { contract, request } = call;
  if (!contract.declared || contract.class === 'delegates') return false;
  const { resourceGroup } = contract.entry;
  if (!isDenied(failure)) return false;
  if (tried.tries >= parts.limits.attempts || request.signal?.aborted) return false;
  const { kind, details } = failure;
  const subject = subjectOf(call, { key: call.effect?.key, attemptId: call.attemptId });
  const again = await parts.auth.mayTryAgain({
    call,
    ticket: tried.ticket,
    failure: {
      tool: request.tool,
      resourceGroup,
      ...(details.status === undefined ? {} : { status: details.status }),
    },
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    onRenewed: (error) =>
      parts.emit('auth_refreshed', subject, {
        outcome: error === undefined ? 'renewed' : 'failed',
        ...(error === undefined ? {} : { why: whyOf(error) }),
      }),
  });
  if (again) {
    parts.emit('retry_scheduled', subject, {
      attempt: tried.tries + 1,
      waitMs: 0,
      directedBy: 'guard',
      kind,
    });
  }
  return again;
}

type Denied = Extract<FailureFacts, { kind: 'auth_failed' }>;

/** Refused for its credentials, and certainly not acted on. */
function isDenied(failure: FailureFacts): failure is Denied {
  return (
    failure.kind === 'auth_failed' &&
    failure.effect === 'none' &&
    failure.details.why === 'credentials'
  );
}

function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
