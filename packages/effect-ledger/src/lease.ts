import type { Owner } from './effect.js';
import type { Claimant, LeaseState } from './store.js';

/**
 * The right to work on a run, and how often it has changed hands. It binds others while its holder has a
 * row `attempting`, so that nobody need give it back. It is kept apart from admissions: a run that nobody
 * admitted has one too. The time that a run has consumed is kept with it, because it is written with it. A lease is never a permission to send again; when it runs out, rows become unknown
 * and nothing more.
 */
export interface RunLease {
  /** The fencing epoch (Kleppmann, "How to do distributed locking"): what a stale owner is told by. */
  readonly epoch: number;
  /** Absent before the first claim, and after the holder was found dead. */
  readonly holder?: Owner;
  /** Wall-clock milliseconds by the store's clock. */
  readonly untilMs: number;
  /** How much active time the run has consumed, as far as its owners have said; milliseconds. */
  readonly consumedMs: number;
}

/** The lease of a run in which nothing was claimed yet. */
export const neverHeld: RunLease = { epoch: 0, untilMs: 0, consumedMs: 0 };

/** How much of a lease must be left for a claim to go without renewing it. */
const freshShare = 2 / 3;
/** How far the consumed time that is written down may lag behind for the same; milliseconds. */
const consumedLagMs = 1000;

export type Taking =
  /** `isFresh`: the lease as it stands will do, and need not be written again. */
  | { readonly taken: RunLease; readonly isFresh: boolean }
  | { readonly refused: 'stale-epoch' }
  | { readonly refused: 'held'; readonly lease: LeaseState };

/**
 * Takes or renews the lease. Whoever was given an epoch that is no longer the run's is told so first:
 * waiting for the other one would not help. An owner whose parallel first claims do not know their epoch
 * yet keeps the one that it holds.
 *
 * @param atWork whether an owner has a row `attempting` in the run
 */
export function takeLease(
  lease: RunLease,
  claimant: Claimant,
  now: number,
  atWork: (ownerId: string) => boolean,
): Taking {
  if (claimant.epoch !== undefined && claimant.epoch !== lease.epoch) {
    return { refused: 'stale-epoch' };
  }
  const { holder } = lease;
  const mine = holder?.id === claimant.owner.id;
  const alive = lease.untilMs > now && holder?.id !== claimant.gone;
  if (holder !== undefined && !mine && alive && atWork(holder.id)) {
    return { refused: 'held', lease: { holder, untilMs: lease.untilMs } };
  }
  const counted = withConsumed(lease, claimant.consumedMs);
  if (mine && lease.untilMs - now >= claimant.leaseMs * freshShare && !lags(lease, counted)) {
    return { taken: lease, isFresh: true };
  }
  const epoch = claimant.epoch ?? (mine ? lease.epoch : lease.epoch + 1);
  const taken = {
    epoch,
    holder: claimant.owner,
    untilMs: now + claimant.leaseMs,
    consumedMs: counted.consumedMs,
  };
  return { taken, isFresh: false };
}

/** The lease with what was consumed since; it never shrinks. */
export function withConsumed(lease: RunLease, consumedMs: number | undefined): RunLease {
  return consumedMs !== undefined && consumedMs > lease.consumedMs
    ? { ...lease, consumedMs }
    : lease;
}

/** Whether enough was consumed since to be worth a write of its own. */
export function lags(before: RunLease, after: RunLease): boolean {
  return after.consumedMs - before.consumedMs >= consumedLagMs;
}

/** How an owner that had a row `attempting` has lost it, or undefined while it is at work. */
export function lostBy(
  lease: RunLease,
  owner: Owner,
  now: number,
  gone: string | undefined,
): 'owner-gone' | 'lease-expiry' | undefined {
  if (owner.id === gone) return 'owner-gone';
  return lease.holder?.id !== owner.id || lease.untilMs <= now ? 'lease-expiry' : undefined;
}

/** After its holder was found dead: whoever still has the old epoch may no longer claim. */
export function cleared({ epoch, consumedMs }: RunLease): RunLease {
  return { epoch: epoch + 1, untilMs: 0, consumedMs };
}

/** As others are told of it; undefined when nobody holds it. */
export function leaseState(lease: RunLease): LeaseState | undefined {
  return lease.holder && { holder: lease.holder, untilMs: lease.untilMs };
}
