import type { Effect, EffectKey } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { type Admitted, fold, refuse, type Stopped, type Validated, type Wish } from './call.js';
import { settledBy } from './conflict.js';
import { howItAnswers } from './place.js';

/**
 * What an equal effect that is over means where no turn tells: in the duplicate window it is the same call,
 * in the suspicion window an irreversible one needs a person's word, and after that it is a new wish.
 * Undefined where turns tell, or the ledger's own rule is right: wishes of a business are one for good.
 */
export async function outsideOfTurns(
  call: Validated,
  wish: Wish,
  effect: Effect,
  parts: GateParts,
): Promise<'again' | Stopped | undefined> {
  const { repetition } = call.host;
  if (repetition === undefined || wish.scope === 'business') return undefined;
  const ageMs = parts.clock.wallMs() - endOf(effect);
  switch (effect.state) {
    case 'unknown':
      // A tool without an entry has no way to find out, and must not be stopped for good.
      return call.contract.declared || ageMs <= repetition.suspicionMs ? undefined : 'again';
    case 'succeeded': {
      if (ageMs <= repetition.duplicateMs) return fold(call, effect, 'folded');
      if (call.contract.class !== 'irreversible' || ageMs > repetition.suspicionMs) return 'again';
      const settled = await settledBy(call, wish, effect, parts);
      if (settled !== undefined) return settled;
      const { argsDigest } = wish;
      const details = { why: 'repeat', argsDigest, doneAt: endOf(effect) } as const;
      return refuse(call, failed('confirmation_required', 'none', details), effect.key);
    }
    default:
      return undefined;
  }
}

/**
 * What an equal call did that this one has waited for, where no turn tells: they are one call, also of a tool
 * without an entry, whose finished calls answer no later one. Undefined where the ledger's own rule is right.
 */
export function answeredByWaiting(call: Validated | Admitted, effect: Effect): Stopped | undefined {
  const isOneCall = call.host.repetition !== undefined && !call.contract.declared;
  const isDone = effect.state === 'succeeded' && effect.settlement.settled === 'open';
  return isOneCall && isDone ? fold(call, effect, howItAnswers(call, effect)) : undefined;
}

/** The same for the row of an equal call that was under way when this one came, as it stands now. */
export async function answeredMeanwhile(
  call: Validated | Admitted,
  key: EffectKey | undefined,
  { ledger }: Pick<GateParts, 'ledger'>,
): Promise<Stopped | undefined> {
  if (key === undefined || call.host.repetition === undefined || call.contract.declared) {
    return undefined;
  }
  const [effect] = await ledger.find({ key });
  return effect && answeredByWaiting(call, effect);
}

/** When the last attempt ended, by the wall clock. */
function endOf({ attempts }: Effect): number {
  const last = attempts.at(-1);
  return last?.endedAt ?? last?.startedAt ?? 0;
}
