import type { Effect } from '@holdfast/effect-ledger';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { fold, type Stopped, type Validated, type Wish } from './call.js';
import { decidedCall, rejected } from './decided-call.js';

/** What a person has said about a conflict: once more, or the end of the call. Undefined where nobody has. */
export async function settledBy(
  call: Validated,
  wish: Wish,
  effect: Effect,
  parts: GateParts,
): Promise<'again' | Stopped | undefined> {
  const { decisions } = call.host.run;
  // Somebody may have decided since the run began.
  await decisions.refresh();
  const about = decidedCall(call, wish);
  const nowMs = parts.clock.wallMs();
  const refusal = rejected(call, decisions.rejectionOf(about, nowMs));
  if (refusal !== undefined) return refusal;
  const sinceMs = effect.attempts[0]?.startedAt ?? 0;
  const decision = decisions.settling(about, sinceMs, nowMs);
  if (decision?.kind === 'again') return 'again';
  return decision?.kind === 'reuse' && effect.state === 'succeeded'
    ? fold(call, effect, 'folded')
    : undefined;
}

/** The same place or key, with other arguments. */
export function conflictWith({ key }: Effect, { argsDigest }: Wish): FailureFacts {
  return failed('intent_conflict', 'none', { key, argsDigest });
}
