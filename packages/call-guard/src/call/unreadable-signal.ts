import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import type { Declared } from './call.js';
import { subjectOf } from './subject.js';

/** A wait that the other side announced and that nobody can read is absent, and said. */
export function warnOfUnreadable(failure: FailureFacts, call: Declared, parts: GateParts): void {
  if (failure.kind !== 'rate_limited' && failure.kind !== 'overloaded') return;
  const { unreadable } = failure.details;
  if (unreadable === undefined) return;
  parts.emit('warning', subjectOf(call, { key: call.effect?.key, attemptId: call.attemptId }), {
    code: 'signal_unreadable',
    message: `${call.request.tool} announced a wait that cannot be read, so none is known: ${unreadable.join(', ')}`,
  });
}
