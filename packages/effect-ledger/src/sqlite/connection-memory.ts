import type { EffectIn, EffectKey } from '../effect.js';
import type { RunLease } from '../lease.js';
import type { SqliteDatabase } from './sqlite-database.js';
import type { Statements } from './statements.js';

/** Runs whose leases are remembered, before all are forgotten. */
const MOST_LEASES = 256;

/**
 * What a connection has written or read itself, and need not look up again: it holds until another
 * connection commits, which SQLite counts. So one look at that count, at the beginning of a transaction,
 * takes the place of a look at each row.
 */
export class ConnectionMemory {
  #commitsOfOthers: unknown;
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

  /** At the beginning of a transaction. */
  recall(statements: Statements): void {
    const commits = statements.get('PRAGMA data_version')?.data_version;
    if (commits !== this.#commitsOfOthers) this.forget();
    this.#commitsOfOthers = commits;
  }

  /** Also after anything was rolled back. */
  forget(): void {
    this.#leases.clear();
    this.#begun.clear();
    this.lastBegun = undefined;
  }
}

const memories = new WeakMap<SqliteDatabase, ConnectionMemory>();

/** One for each handle: ledgers that share one do not count as others. */
export function memoryOf(database: SqliteDatabase): ConnectionMemory {
  const known = memories.get(database);
  if (known !== undefined) return known;
  const memory = new ConnectionMemory();
  memories.set(database, memory);
  return memory;
}
