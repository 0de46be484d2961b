import type { Effect } from '@holdfast/effect-ledger';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { fold, refuse, type Stopped, type Validated, type Wish } from './call.js';
import { settledBy } from './conflict.js';

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

/** When the last attempt ended, by the wall clock. */
function endOf({ attempts }: Effect): number {
  const last = attempts.at(-1);
  return last?.endedAt ?? last?.startedAt ?? 0;
}
