import type { Decision, NewDecision } from './decision.js';
import type { Attempt, Declaration, Effect, EffectIn, EffectKey, Owner } from './effect.js';
import type { Transition } from './transitions.js';

/** A run as it was accepted, and what became of it. */
export interface Admission {
  readonly tenant: string;
  readonly runId: string;
  readonly intentId: string;
  readonly threadId?: string;
  /** Id of the human input: the caller's, or the one minted for it. */
  readonly inputId: string;
  /** Digest of the input's content: a re-sent message has the same. */
  readonly inputDigest: string;
  /** The input itself, encoded; what a run that lost its checkpoint is resumed from. */
  readonly input?: Uint8Array;
  readonly registryDigest: string;
  /** The limits in force when the run was accepted, by name; units in the names. */
  readonly limits?: Readonly<Record<string, number>>;
  /** How its guard ran. */
  readonly mode?: 'enforce' | 'shadow';
}
export interface RunRecord extends Admission {
  /** Wall-clock milliseconds by the store's clock. */
  readonly admittedAt: number;
  /** Last admission, end of the run or of an invocation, or claim that took or renewed the lease. */
  readonly activeAt: number;
  /**
   * Active milliseconds that the run has consumed over all of its invocations, as far as they have said.
   * What a process consumed after its last write is lost with it.
   */
  readonly consumedMs: number;
  readonly ended?: { readonly at: number; readonly status: string };
}
export type RunQuery =
  | { readonly runId: string }
  | { readonly tenant: string; readonly intentId: string }
  | { readonly tenant: string; readonly threadId: string };

/** Who claims, and for how long the claim counts as alive without renewal. */
export interface Claimant {
  readonly owner: Owner;
  /** The epoch that this owner was given with its first claim; absent before it. */
  readonly epoch?: number;
  /** Milliseconds. */
  readonly leaseMs: number;
  /** An owner whose process is proven gone: its lease counts as over. */
  readonly gone?: string;
  /**
   * What the run has consumed by now, in active milliseconds. Written with the lease, and with a claim or
   * move by itself once it has grown by a second; a smaller value changes nothing.
   */
  readonly consumedMs?: number;
}
/** What a claim goes by: invocations of one run, in several processes, do not see each other's rows. */
export interface WhatWasRead {
  /** The row of the wish with the highest generation, as it was then; absent if there was none. */
  readonly latest?: Pick<Effect, 'key' | 'version'>;
}
export interface LeaseState {
  readonly holder: Owner;
  /** Wall-clock milliseconds by the store's clock. */
  readonly untilMs: number;
}

/**
 * What a declaration finds. Exactly one of these; callers switch exhaustively.
 * `nothing` and `failed`: the row is now `attempting` and belongs to the claimant, under `epoch`.
 */
export type Claim =
  | {
      readonly found: 'nothing';
      readonly effect: EffectIn<'attempting'>;
      readonly epoch: number;
      readonly earlierUnknown?: EffectIn<'unknown'>;
    }
  | { readonly found: 'failed'; readonly effect: EffectIn<'attempting'>; readonly epoch: number }
  | { readonly found: 'done'; readonly effect: EffectIn<'succeeded'> }
  /** Being worked on. `lease` is absent for a suspended row and for one being compensated. */
  | { readonly found: 'open'; readonly effect: Effect; readonly lease?: LeaseState }
  | { readonly found: 'unknown'; readonly effect: EffectIn<'unknown'> }
  | { readonly found: 'conflict'; readonly effect: Effect }
  /** Another invocation of the run made or moved this row meanwhile: whether a new generation follows it is to be asked again. */
  | { readonly found: 'unseen'; readonly effect: Effect }
  /** Another owner works on this run and its lease has not run out. */
  | { readonly found: 'held'; readonly lease: LeaseState }
  /** Another owner has taken the run over since this one's last claim. */
  | { readonly found: 'stale-epoch' };

export type Moved =
  | { readonly moved: Effect; readonly epoch?: number }
  | {
      readonly refused: 'missing' | 'version' | 'illegal' | 'stale-epoch';
      readonly effect?: Effect;
    }
  | { readonly refused: 'held'; readonly lease: LeaseState };

/** What the pass that ends with this move has to say about itself. */
export type AttemptEnd = Omit<Attempt, 'startedAt'>;

/** Steps inside tools are found by their key and with their run only: no call meets them. */
export type EffectQuery =
  | { readonly key: EffectKey }
  | { readonly runId: string }
  | { readonly tenant: string; readonly intentId: string }
  /**
   * What may concern another intent of the thread: rows open or unknown, and rows of runs that have
   * not ended. Bounded by what is unfinished, not by the thread's length.
   */
  | { readonly tenant: string; readonly threadId: string; readonly unfinished: true };

export type DecisionQuery =
  | { readonly tenant: string; readonly runId: string }
  | { readonly tenant: string; readonly threadId: string };

export interface CheckpointRef {
  readonly threadId: string;
  readonly ns: string;
  readonly id: string;
}
/** What the ledger knew when a checkpoint was written. */
export interface CheckpointStamp extends CheckpointRef {
  readonly ledgerId: string;
  readonly intentId: string;
  readonly runId: string;
  /** Ledger sequence. */
  readonly seq: number;
  readonly registryDigest: string;
}

/**
 * What a database must do; nothing else is a store's business. One contract suite
 * (`testing/store-contract.ts`) runs against all of them. Every method that changes something is one
 * atomic commit, durable when its promise resolves. A store that cannot write rejects with a
 * {@link LedgerError}; then there is no effect.
 */
export interface LedgerStore {
  readonly kind: 'memory' | 'sqlite';
  /** Where it lies, for messages. */
  readonly location: string;
  /** The ledger's own id, made with it: tells a restored or foreign ledger from this one. */
  readonly id: string;
  /** Writes the run down, or returns the one that is there under this run id. */
  admit(admission: Admission): Promise<{ readonly run: RunRecord; readonly known: boolean }>;
  /**
   * Marks the run as ended; ended runs stay ended.
   *
   * @param consumedMs as {@link LedgerStore.consume} takes it
   */
  endRun(runId: string, status: string, consumedMs?: number): Promise<void>;
  /**
   * Writes down, at the end of an invocation, how many active milliseconds the run has consumed over all
   * of them. A smaller value than the one that is there changes nothing.
   */
  consume(runId: string, consumedMs: number): Promise<void>;
  /** Newest admission first. */
  runs(query: RunQuery): Promise<readonly RunRecord[]>;
  /**
   * Declares an effect under the generation rule (`meet`), atomically for all processes. Nothing is
   * written unless the claim succeeds, except that a row left `attempting` by an owner whose lease is
   * over becomes `unknown`. Takes or renews the run's lease, and writes `stamps` in the same commit. A
   * stale epoch is told so before a lease that is held; both only if something would be attempted. Over a
   * row of the same run that is not the one in `read`, or has moved since, no new generation is opened: it
   * is `unseen`.
   */
  claim(
    declaration: Declaration,
    claimant: Claimant & { readonly attemptId: string; readonly read?: WhatWasRead },
    stamps?: readonly CheckpointStamp[],
  ): Promise<Claim>;
  /**
   * One move by compare-and-set on the row's version, under the law of `nextState`. A move to
   * `attempting` also needs the claimant, takes or renews the lease, and appends an attempt. A move
   * away from `attempting` ends the attempt named in `attempt`. A claimant that names a stale epoch is
   * refused.
   */
  move(
    key: EffectKey,
    expect: { readonly version: number },
    transition: Transition,
    by?: { readonly claimant?: Claimant; readonly attempt?: AttemptEnd },
  ): Promise<Moved>;
  /**
   * What even a stale owner may hand in: the truth about its own attempt of the row. Applied whatever
   * the version, if the law allows it from the row's present state; `missing` when the row has no such
   * attempt. Any attempt may prove the success; that
   * there was no effect, or that nobody knows, only the last one may say: a later one may have acted.
   */
  submitEvidence(
    key: EffectKey,
    attempt: AttemptEnd,
    transition: Extract<Transition, { to: 'succeeded' | 'failed' | 'unknown' }>,
  ): Promise<Moved>;
  /**
   * Renews the lease of a run whose work takes long; false when the epoch is stale. Where its holder
   * attempts nothing there is nothing to renew.
   */
  renew(runId: string, claimant: Claimant): Promise<boolean>;
  find(query: EffectQuery): Promise<readonly Effect[]>;
  /**
   * Writes down what a person decided about a call, and resolves with the decision that stands: this one,
   * the equal one of before, or the call's rejection, which is final.
   */
  decide(decision: NewDecision): Promise<Decision>;
  /** The decisions that stand, oldest first; those that have expired too. */
  decisions(query: DecisionQuery): Promise<readonly Decision[]>;
  stamp(stamp: CheckpointStamp): Promise<void>;
  stampOf(at: CheckpointRef): Promise<CheckpointStamp | undefined>;
  close(): Promise<void>;
}
