import type { EffectIn, EffectKey } from '../effect.js';
import type { RunLease } from '../lease.js';
import type { Statements } from './statements.js';

/** Runs whose leases are remembered, before all are forgotten. */
const MOST_LEASES = 256;

/**
 * What a ledger has written or read itself, and need not look up again: it holds until somebody else writes.
 * SQLite counts the commits of other connections, and the rows that this one has changed: more than the
 * ledger has changed itself are those of another ledger on the handle, however wrapped, or of its owner. So
 * one look at both counts, at the beginning of a transaction, takes the place of a look at each row.
 */
export class LedgerMemory {
  #commitsOfOthers = Number.NaN;
  /** Rows changed on the connection, as SQLite will count them if nobody else changes any. */
  #changes = Number.NaN;
  readonly #leases = new Map<string, RunLease>();
  readonly #begun = new Map<EffectKey, EffectIn<'attempting'>>();
  /** The highest number of an effect. */
  lastBegun: number | undefined;

  /** An effect that was begun here, and whose end is still to come. */
  begun(key: EffectKey): EffectIn<'attempting'> | undefined {
    return this.#begun.get(key);
  }

  noteBegun(effect: EffectIn<'attempting'>): void {
    this.#begun.set(effect.key, effect);
    this.lastBegun = effect.startSeq;
  }

  noteEnd(key: EffectKey): void {
    this.#begun.delete(key);
  }

  lease(runId: string): RunLease | undefined {
    return this.#leases.get(runId);
  }

  noteLease(runId: string, lease: RunLease): void {
    if (this.#leases.size >= MOST_LEASES) this.#leases.clear();
    this.#leases.set(runId, lease);
  }

  /** The statements that the ledger writes its rows with. */
  counted(statements: Statements): Statements {
    return {
      ...statements,
      run: (sql, ...values) => {
        const changes = statements.run(sql, ...values);
        this.#changes += changes;
        return changes;
      },
    };
  }

  /** At the beginning of a transaction. */
  recall(statements: Statements): void {
    const commits = Number(statements.value('PRAGMA data_version'));
    const changes = Number(statements.value('SELECT total_changes()'));
    // What is no number is not equal to itself, so nothing is remembered then.
    if (commits !== this.#commitsOfOthers || changes !== this.#changes) this.forget();
    this.#commitsOfOthers = commits;
    this.#changes = changes;
  }

  /** Also after anything was rolled back. */
  forget(): void {
    this.#leases.clear();
    this.#begun.clear();
    this.lastBegun = undefined;
  }
}
