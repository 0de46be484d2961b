import type { Decision } from './decision.js';
import type { Effect, EffectIn, EffectKey } from './effect.js';
import type { RunLease } from './lease.js';
import type { LedgerSequence } from './sequence.js';
import type { CheckpointStamp, DecisionQuery, RunRecord } from './store.js';

/** One line of an effect's log: a move with who made it and on what evidence. */
export interface LoggedMove {
  /** State, and for a success its settlement; absent for a declaration. */
  readonly from?: string | undefined;
  readonly to: string;
  /** Id of the owner that made the move, where one did. */
  readonly actor?: string | undefined;
  /** Id of the attempt that the move speaks of. */
  readonly attempt?: string | undefined;
  readonly evidence: string;
  readonly note?: string | undefined;
  /** Wall-clock milliseconds by the store's clock. */
  readonly at: number;
}

/**
 * The ledger's rows within one atomic commit. The functions in `commands/` work on them, once for all
 * stores; a store keeps rows, brings the commit, and decides nothing.
 */
export interface LedgerTables extends LedgerSequence {
  byKey(key: EffectKey): Effect | undefined;
  /** The row of a wish with the highest generation, by the key that the wish has in generation 0. */
  latest(first: EffectKey): Effect | undefined;
  /** Open and unknown rows of other intents of the thread with this wish, oldest first. */
  elsewhere(tenant: string, threadId: string, wish: string, intentId: string): readonly Effect[];
  /** Whether a row of another wish, not failed, on the same instance began after this one. */
  overwritten(effect: Effect): boolean;
  hasAttempting(runId: string, ownerId: string): boolean;
  /**
   * @param first the key of the same wish in generation 0
   * @param move the first line of its log
   */
  insert(effect: EffectIn<'attempting'>, first: EffectKey, move: LoggedMove): void;
  /** Replaces what a move changes, and adds it to the log. */
  update(effect: Effect, move: LoggedMove): void;
  /** Replaces run, intent and place. */
  relocate(effect: Effect): void;

  lease(runId: string): RunLease;
  /** Takes or renews the lease for an effect of the run, which is active at this moment. */
  enterRun(
    run: Pick<RunRecord, 'tenant' | 'runId' | 'intentId'>,
    lease: RunLease,
    at: number,
  ): void;
  /** Replaces the lease of a run that was entered. */
  putLease(runId: string, lease: RunLease): void;

  run(runId: string): RunRecord | undefined;
  insertRun(run: RunRecord): void;
  /** Marks a run as active at this moment, if there is such a run. */
  touchRun(runId: string, at: number): void;
  endRun(runId: string, at: number, status: string): void;

  /** All that were ever made, oldest first. */
  decisionsOf(query: DecisionQuery): readonly Decision[];
  insertDecision(decision: Decision): void;

  putStamp(stamp: CheckpointStamp): void;
}
