import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import type { Mechanism } from '../mode.js';
import { subjectOf } from './subject.js';

/**
 * Whether a mechanism's refusal is acted on in this run. One that only watches says what it would have
 * done, and the call goes on.
 */
export function enforces(
  mechanism: Mechanism,
  call: Parameters<typeof subjectOf>[0],
  failure: FailureFacts,
  parts: GateParts,
): boolean {
  switch (call.host.run.modes[mechanism]) {
    case 'enforce':
      return true;
    case 'off':
      return false;
    case 'shadow':
      parts.shadow.note(call.host.run, { mechanism, would: 'refuse', kind: failure.kind });
      parts.emit('mechanism_shadowed', subjectOf(call), {
        mechanism,
        would: 'refuse',
        kind: failure.kind,
      });
      return false;
  }
}
