import { decideClaim } from '../claim-decision.js';
import type { Declaration, Effect, EffectKey } from '../effect.js';
import { declaredEffect, retriedEffect } from '../effect-change.js';
import { effectKey, stepKey, wishDigest } from '../effect-key.js';
import { cleared, lostBy } from '../lease.js';
import type { LedgerTables, LoggedMove } from '../ledger-tables.js';
import type { Standing } from '../meeting.js';
import type { CheckpointStamp, Claim, Claimant, WhatWasRead } from '../store.js';
import type { Transition } from '../transitions.js';
import { applyMove } from './apply-move.js';

export function claim(
  tables: LedgerTables,
  declaration: Declaration,
  claimant: Claimant & { readonly attemptId: string; readonly read?: WhatWasRead },
  stamps: readonly CheckpointStamp[],
  now: number,
): Claim {
  const { tenant, intentId, scope, place, step } = declaration;
  const alive = (effect: Effect) => unknownIfLost(tables, effect, claimant, now);
  const first = step === undefined ? keyIn(declaration, 0) : stepKey(step.parent, step.name);
  const wish = step === undefined ? wishDigest(declaration) : first;
  const found = tables.latest(first);
  const latest = found && alive(found);
  const elsewhere =
    step === undefined && scope === 'intent' && place.threadId !== undefined
      ? tables.elsewhere(tenant, place.threadId, wish, intentId).map(alive)
      : [];
  const decision = decideClaim(declaration, claimant, now, {
    standing: standingOf(tables, latest, elsewhere),
    leaseOf: (id) => tables.lease(id),
    isAtWork: (id, ownerId) => tables.hasAttempting(id, ownerId),
  });
  if (decision.write === 'none') return decision.claim;

  const { taken, isFresh } = decision.lease;
  const { epoch } = taken;
  const attempt = { id: claimant.attemptId, owner: claimant.owner };
  const key =
    decision.write === 'retry'
      ? decision.effect.key
      : decision.generation === 0
        ? first
        : keyIn(declaration, decision.generation);
  const move: LoggedMove = {
    from: decision.write === 'retry' ? decision.effect.state : undefined,
    to: 'attempting',
    actor: attempt.owner.id,
    attempt: attempt.id,
    evidence: decision.write === 'insert' ? 'declared' : 'retry',
    at: now,
  };
  const moment = { now, seq: tables.nextBeginning() };
  if (!isFresh) tables.enterRun(declaration, taken, now);
  for (const stamp of stamps) tables.putStamp(stamp);
  if (decision.write === 'retry') {
    const effect = retriedEffect(decision.effect, declaration, attempt, moment);
    tables.relocate(effect);
    tables.update(effect, move);
    return { found: 'failed', effect, epoch };
  }
  const { generation, earlierUnknown } = decision;
  const effect = declaredEffect(declaration, { key, wish, generation }, attempt, moment);
  tables.insert(effect, first, move);
  return { found: 'nothing', effect, epoch, ...(earlierUnknown && { earlierUnknown }) };
}

function standingOf(
  tables: LedgerTables,
  latest: Effect | undefined,
  elsewhere: readonly Effect[],
): Standing {
  if (latest === undefined) return { latest, elsewhere, overwritten: false };
  return {
    latest,
    elsewhere,
    // Looked up only if the rule asks.
    get overwritten() {
      return tables.overwritten(latest);
    },
  };
}

/** Given its fields one by one, because to copy a whole declaration takes longer than the rest. */
function keyIn(of: Declaration, generation: number): EffectKey {
  const { tenant, intentId, scope, tool, identity, keyGiven, ordinal } = of;
  return effectKey({ tenant, intentId, scope, tool, identity, keyGiven, ordinal, generation });
}

/** A row left `attempting` by an owner that lost it becomes `unknown`, and its epoch is over. */
function unknownIfLost(
  tables: LedgerTables,
  effect: Effect,
  claimant: Claimant,
  now: number,
): Effect {
  if (effect.state !== 'attempting') return effect;
  const lease = tables.lease(effect.runId);
  const by = lostBy(lease, effect.owner, now, claimant.gone);
  if (by === undefined) return effect;
  if (lease.holder?.id === effect.owner.id) tables.putLease(effect.runId, cleared(lease));
  const transition: Transition = {
    to: 'unknown',
    since: now,
    reason: by === 'owner-gone' ? 'its process is gone' : 'its lease ran out',
    evidence: { by },
  };
  const lost = applyMove(tables, effect, transition, { now, actor: claimant.owner.id });
  // `attempting` may always become `unknown`.
  return lost ?? effect;
}
