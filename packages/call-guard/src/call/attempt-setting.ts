import type { RequestNotes } from '../call-context.js';
import type { AttemptSetting } from '../classify/reading-facts.js';
import type { GateParts } from '../gate-parts.js';
import type { Contract, Declared } from './call.js';

/** What the classification of a failure has to know of the try that it ended. */
export function settingOf(call: Declared, notes: RequestNotes, parts: GateParts): AttemptSetting {
  return new SettingOfTry(call.contract, notes, parts);
}

/** Every result is looked at for a failure, and few are one: what is asked for only then is read then. */
class SettingOfTry implements AttemptSetting {
  constructor(
    private readonly contract: Contract,
    readonly notes: RequestNotes,
    private readonly parts: GateParts,
  ) {}

  get class(): Contract['class'] {
    return this.contract.class;
  }

  get effectOnError(): 'none' | 'unknown' {
    const idempotency = this.contract.declared ? this.contract.entry.idempotency : undefined;
    return idempotency !== undefined && 'effectOnError' in idempotency
      ? idempotency.effectOnError
      : 'unknown';
  }

  get wallMs(): number {
    return this.parts.clock.wallMs();
  }
}
