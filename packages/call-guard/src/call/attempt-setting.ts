import type { RequestNotes } from '../call-context.js';
import type { AttemptSetting } from '../classify/reading-facts.js';
import type { GateParts } from '../gate-parts.js';
import type { Declared } from './call.js';

/** What the classification of a failure has to know of the try that it ended. */
export function settingOf(call: Declared, notes: RequestNotes, parts: GateParts): AttemptSetting {
  const idempotency = call.contract.declared ? call.contract.entry.idempotency : undefined;
  return {
    class: call.contract.class,
    effectOnError:
      idempotency !== undefined && 'effectOnError' in idempotency
        ? idempotency.effectOnError
        : 'unknown',
    notes,
    wallMs: parts.clock.wallMs(),
  };
}
