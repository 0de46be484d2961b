import type { Effect, Evidence } from '../effect.js';
import { certainOf, changedEffect, endedAttempts, lawfulState } from '../effect-change.js';
import type { LedgerTables } from '../ledger-tables.js';
import type { AttemptEnd } from '../store.js';
import type { Transition } from '../transitions.js';

/** Makes a move that needs no lease, or returns undefined when the law forbids it. */
export function applyMove(
  tables: LedgerTables,
  effect: Effect,
  wanted: Exclude<Transition, { to: 'attempting' }>,
  by: {
    readonly now: number;
    readonly attempt?: AttemptEnd | undefined;
    readonly actor?: string | undefined;
  },
): Effect | undefined {
  const transition = certainOf(effect, wanted, by.attempt?.id, by.now);
  const state = lawfulState(effect, transition);
  const attempts = endedAttempts(effect, transition, by.attempt, by.now);
  if (state === undefined || attempts === undefined) return undefined;
  const evidence: Evidence = 'evidence' in transition ? transition.evidence : { by: 'attempt' };
  const ends = transition.to !== 'settled' && transition.to !== 'suspended';
  const endSeq = ends ? tables.nextEnd() : effect.endSeq;
  const changed = changedEffect(effect, state, attempts, endSeq);
  tables.update(changed, {
    from: stateName(effect),
    to: stateName(state),
    actor: by.actor,
    attempt: by.attempt?.id,
    evidence: evidence.by,
    note: evidence.note,
    at: by.now,
  });
  return changed;
}

function stateName(
  of: Pick<Effect, 'state'> & { readonly settlement?: { readonly settled: string } },
) {
  return of.settlement === undefined ? of.state : `${of.state}, ${of.settlement.settled}`;
}
