import type { Effect, EffectKey } from '../effect.js';
import { lawfulState, reattempted } from '../effect-change.js';
import { givenBack, type RunLease, takeLease } from '../lease.js';
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
  const lease = tables.lease(effect.runId);
  if (claimant?.epoch !== undefined && claimant.epoch !== lease.epoch) {
    return { refused: 'stale-epoch', effect };
  }
  if (effect.version !== expect.version) return { refused: 'version', effect };
  if (transition.to === 'attempting') {
    return begin(tables, effect, lease, transition, claimant, attempt?.id ?? by.newId(), now);
  }
  const moved = applyMove(tables, effect, transition, { now, attempt, actor: claimant?.owner.id });
  if (moved === undefined) return { refused: 'illegal', effect };
  giveBackIfDone(tables, effect, lease);
  return { moved };
}

/** A move to `attempting`: needs somebody who works, under the run's lease. */
function begin(
  tables: LedgerTables,
  effect: Effect,
  lease: RunLease,
  transition: Extract<Transition, { to: 'attempting' }>,
  claimant: Claimant | undefined,
  attemptId: string,
  now: number,
): Moved {
  const works = claimant !== undefined && claimant.owner.id === transition.owner.id;
  if (!works || lawfulState(effect, transition) === undefined)
    return { refused: 'illegal', effect };
  const taking = takeLease(lease, claimant, now);
  if ('refused' in taking) {
    return taking.refused === 'held' ? taking : { refused: 'stale-epoch', effect };
  }
  tables.addAttempt(attemptId, effect.key);
  const seq = tables.log({
    key: effect.key,
    from: effect.state,
    to: 'attempting',
    actor: claimant.owner.id,
    attempt: attemptId,
    evidence: transition.why,
    at: now,
  });
  tables.putLease(effect.runId, taking.taken);
  const moved = reattempted(effect, { id: attemptId, owner: transition.owner }, { now, seq });
  tables.update(moved);
  return { moved, epoch: taking.taken.epoch };
}

export function submitEvidence(
  tables: LedgerTables,
  attempt: AttemptEnd,
  transition: Extract<Transition, { to: 'succeeded' | 'failed' | 'unknown' }>,
  now: number,
): Moved {
  const effect = tables.byAttempt(attempt.id);
  if (effect === undefined) return { refused: 'missing' };
  // Any attempt can prove the effect; only the last can say that there was none, because an attempt
  // after it may have acted.
  const last = effect.attempts.at(-1)?.id === attempt.id;
  const speaks = last || transition.to === 'succeeded';
  const moved = speaks ? applyMove(tables, effect, transition, { now, attempt }) : undefined;
  if (moved === undefined) return { refused: 'illegal', effect };
  giveBackIfDone(tables, effect, tables.lease(effect.runId));
  return { moved };
}

/** The lease of a row's run goes back when its owner attempts nothing in it any more. */
function giveBackIfDone(tables: LedgerTables, { runId, ...was }: Effect, lease: RunLease): void {
  if (was.state !== 'attempting' || lease.holder?.id !== was.owner.id || lease.untilMs === 0)
    return;
  if (!tables.hasAttempting(runId, was.owner.id)) tables.putLease(runId, givenBack(lease));
}
