import type { Effect, EffectKey } from '../effect.js';
import { lawfulState, reattempted, withoutEffect } from '../effect-change.js';
import { lags, takeLease, withConsumed } from '../lease.js';
import type { LedgerTables } from '../ledger-tables.js';
import type { AttemptEnd, Claimant, Moved } from '../store.js';
import type { Transition } from '../transitions.js';
import { applyMove } from './apply-move.js';

export function move(
  tables: LedgerTables,
  key: EffectKey,
  expect: { readonly version: number },
  transition: Transition,
  by: {
    readonly claimant?: Claimant | undefined;
    readonly attempt?: AttemptEnd | undefined;
    /** Id of an attempt that this move begins, when the caller names none. */
    readonly newId: () => string;
  },
  now: number,
): Moved {
  const effect = tables.byKey(key);
  if (effect === undefined) return { refused: 'missing' };
  const { claimant, attempt } = by;
  if (claimant?.epoch !== undefined && claimant.epoch !== tables.lease(effect.runId).epoch) {
    return { refused: 'stale-epoch', effect };
  }
  if (effect.version !== expect.version) return { refused: 'version', effect };
  if (transition.to === 'attempting') {
    return begin(tables, effect, transition, claimant, attempt?.id ?? by.newId(), now);
  }
  const moved = applyMove(tables, effect, transition, { now, attempt, actor: claimant?.owner.id });
  if (moved === undefined) return { refused: 'illegal', effect };
  if (claimant?.consumedMs !== undefined) noteConsumed(tables, effect.runId, claimant.consumedMs);
  return { moved };
}

/** Time that an effect took is known by its end, or a crash after it would give it back. */
function noteConsumed(tables: LedgerTables, runId: string, consumedMs: number): void {
  const lease = tables.lease(runId);
  const counted = withConsumed(lease, consumedMs);
  if (lags(lease, counted)) tables.putLease(runId, counted);
}

/** A move to `attempting`: needs somebody who works, under the run's lease. */
function begin(
  tables: LedgerTables,
  effect: Effect,
  transition: Extract<Transition, { to: 'attempting' }>,
  claimant: Claimant | undefined,
  attemptId: string,
  now: number,
): Moved {
  const works = claimant !== undefined && claimant.owner.id === transition.owner.id;
  if (!works || lawfulState(effect, transition) === undefined)
    return { refused: 'illegal', effect };
  const atWork = (ownerId: string) => tables.hasAttempting(effect.runId, ownerId);
  const taking = takeLease(tables.lease(effect.runId), claimant, now, atWork);
  if ('refused' in taking) {
    return taking.refused === 'held' ? taking : { refused: 'stale-epoch', effect };
  }
  if (!taking.isFresh) tables.putLease(effect.runId, taking.taken);
  const { attempts } = effect;
  const moved = reattempted(
    effect,
    { id: attemptId, owner: transition.owner },
    { now, seq: tables.nextBeginning() },
    transition.why === 'probe-absent' ? withoutEffect(attempts) : attempts,
  );
  tables.update(moved, {
    from: effect.state,
    to: 'attempting',
    actor: claimant.owner.id,
    attempt: attemptId,
    evidence: transition.why,
    at: now,
  });
  return { moved, epoch: taking.taken.epoch };
}

export function submitEvidence(
  tables: LedgerTables,
  key: EffectKey,
  attempt: AttemptEnd,
  transition: Extract<Transition, { to: 'succeeded' | 'failed' | 'unknown' }>,
  now: number,
): Moved {
  const effect = tables.byKey(key);
  if (effect?.attempts.some(({ id }) => id === attempt.id) !== true) return { refused: 'missing' };
  // Any attempt can prove the effect; only the last can say that there was none, because an attempt
  // after it may have acted.
  const last = effect.attempts.at(-1)?.id === attempt.id;
  const speaks = last || transition.to === 'succeeded';
  const moved = speaks ? applyMove(tables, effect, transition, { now, attempt }) : undefined;
  return moved === undefined ? { refused: 'illegal', effect } : { moved };
}
