import type { EffectIn } from './effect.js';
import { leaseState, type RunLease, type Taking, takeLease } from './lease.js';
import { meet, type Standing } from './meeting.js';
import type { Claim, Claimant, WhatWasRead } from './store.js';

/** What the ledger holds when a claim is decided; rows of dead owners are `unknown` by then. */
export interface ClaimSituation {
  readonly standing: Standing;
  readonly leaseOf: (runId: string) => RunLease;
  /** Whether an owner has a row `attempting` in a run. */
  readonly isAtWork: (runId: string, ownerId: string) => boolean;
}

/** What a claim does to the ledger. */
export type ClaimDecision =
  | { readonly write: 'none'; readonly claim: Claim }
  | {
      readonly write: 'insert';
      readonly generation: number;
      readonly earlierUnknown?: EffectIn<'unknown'>;
      readonly lease: LeaseTaken;
    }
  | { readonly write: 'retry'; readonly effect: EffectIn<'failed'>; readonly lease: LeaseTaken };

type LeaseTaken = Extract<Taking, { taken: RunLease }>;

/**
 * The whole decision of a claim, pure: the generation rule first, and the run's lease only if something
 * is to be attempted, because what is known is answered first, to stale owners too.
 */
export function decideClaim(
  declaration: Parameters<typeof meet>[0],
  claimant: Claimant & { readonly read?: WhatWasRead },
  now: number,
  { standing, leaseOf, isAtWork }: ClaimSituation,
): ClaimDecision {
  const meeting = meet(declaration, standing);
  switch (meeting.meets) {
    case 'done':
      return { write: 'none', claim: { found: 'done', effect: meeting.effect } };
    case 'unknown':
      return { write: 'none', claim: { found: 'unknown', effect: meeting.effect } };
    case 'conflict':
      return { write: 'none', claim: { found: 'conflict', effect: meeting.effect } };
    case 'open': {
      const { effect } = meeting;
      const lease = effect.state === 'attempting' ? leaseState(leaseOf(effect.runId)) : undefined;
      return { write: 'none', claim: { found: 'open', effect, ...(lease && { lease }) } };
    }
    case 'nothing':
    case 'failed': {
      const { runId } = declaration;
      const { latest } = standing;
      const isUnseen = claimant.read !== undefined && !isSame(claimant.read.latest, latest);
      if (meeting.meets === 'nothing' && latest?.runId === runId && isUnseen) {
        return { write: 'none', claim: { found: 'unseen', effect: latest } };
      }
      const taking = takeLease(leaseOf(runId), claimant, now, (id) => isAtWork(runId, id));
      if ('refused' in taking) {
        return {
          write: 'none',
          claim:
            taking.refused === 'held'
              ? { found: 'held', lease: taking.lease }
              : { found: 'stale-epoch' },
        };
      }
      const lease = taking;
      if (meeting.meets === 'failed') return { write: 'retry', effect: meeting.effect, lease };
      const { generation, earlierUnknown } = meeting;
      return { write: 'insert', generation, lease, ...(earlierUnknown && { earlierUnknown }) };
    }
  }
}

/** Whether a row is the one that was read, and as it was then: it may have been done in between. */
function isSame(read: WhatWasRead['latest'], latest: WhatWasRead['latest']): boolean {
  return read?.key === latest?.key && read?.version === latest?.version;
}
