import type { LedgerError } from '../ledger-error.js';
import { failureCode } from './failure.js';
import type { LedgerMemory } from './ledger-memory.js';
import { rollBack } from './schema.js';
import type { SqliteDatabase } from './sqlite-database.js';
import type { Statements } from './statements.js';

export interface GroupCommitOptions {
  readonly statements: Statements;
  readonly memory: LedgerMemory;
  /** Waits without blocking; milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  readonly atEndOfTurn: (callback: () => void) => void;
  /** A driver's error as callers are to see it. */
  readonly explain: (error: unknown) => LedgerError;
}

export interface GroupCommit {
  /**
   * Runs `work` inside a transaction and resolves with what it returned once that is durable.
   *
   * @param more whether other writes are likely to come in this turn of the event loop
   */
  write<T>(work: () => T, more: boolean): Promise<T>;
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>;
}

interface Waiting {
  /** Does the work and returns what tells the caller, once it is durable. */
  readonly run: () => () => void;
  readonly reject: (error: LedgerError) => void;
}

/** How long another program's lock is waited for, in milliseconds: about five seconds in all. */
const busyPauses = [5, 10, 20, 40, ...new Array<number>(49).fill(100)];

type Attempted<T> = { readonly value: T } | { readonly error: unknown };

/**
 * Calls `attempt` again while another program holds the lock it needs, without blocking in between.
 * Runs at once, gives what came of it at once if there was no need to wait, and the error when waiting
 * does not help.
 */
export function untilNotBusy<T>(
  attempt: () => T,
  pause: (ms: number) => Promise<void>,
  tries = 0,
): Attempted<T> | Promise<Attempted<T>> {
  try {
    return { value: attempt() };
  } catch (error) {
    const ms = busyPauses[tries];
    if (ms === undefined || failureCode(error) !== 'busy') return { error };
    return pause(ms).then(() => untilNotBusy(attempt, pause, tries + 1));
  }
}

/**
 * Begins a transaction. Prepared once where a statement that finds the file locked has ended with that, as on
 * better-sqlite3, whose statements say whether they are busy. libsql leaves it under way, and nobody else on
 * the handle could commit then.
 */
function beginning(database: SqliteDatabase): () => unknown {
  const sql = 'BEGIN IMMEDIATE';
  const prepared = database.prepare(sql);
  return 'busy' in prepared ? () => prepared.run() : () => database.exec(sql);
}

/**
 * Group commit (DeWitt and others, 1984): writes that wait together pay for one flush of the disk.
 *
 * A write for which nothing else waits, and beside which no other attempt is under way, is committed
 * after one microtask; what comes in until then (the calls of one model answer, say) is in the same
 * group. While other attempts are under way their writes are about to come, so the event loop finishes
 * its turn first: answers that arrived during the last flush are handled one after the other in the next
 * turn, and each would pay for a flush of its own. No write waits for a timer. The transaction itself is
 * synchronous; what comes in later is in the next group.
 *
 * Each write of a group has a savepoint, so that one that fails does not spoil the others. When the
 * transaction is lost (a full disk, a failing commit), every write of the group is rejected, and none of
 * them has happened.
 */
export function groupCommit(database: SqliteDatabase, options: GroupCommitOptions): GroupCommit {
  const { statements, memory, pause, atEndOfTurn, explain } = options;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  const begin = beginning(database);

  function flush(): void | Promise<void> {
    const begun = untilNotBusy(begin, pause);
    return begun instanceof Promise ? begun.then(writeGroup) : writeGroup(begun);
  }

  function writeGroup(begun: Attempted<unknown>): void {
    const group = waiting;
    waiting = [];
    flushing = undefined;
    if ('error' in begun) rejectAll(group, begun.error);
    else commit(group);
  }

  function commit(group: readonly Waiting[]): void {
    try {
      memory.recall(statements);
      const tell = group.map((write) => (group.length === 1 ? write.run() : runApart(write)));
      statements.run('COMMIT');
      for (const callBack of tell) callBack();
    } catch (error) {
      rollBack(database);
      memory.forget();
      rejectAll(group, error);
    }
  }

  function runApart(write: Waiting): () => void {
    statements.run('SAVEPOINT write');
    try {
      const tell = write.run();
      statements.run('RELEASE write');
      return tell;
    } catch (error) {
      try {
        statements.run('ROLLBACK TO write');
        statements.run('RELEASE write');
        memory.forget();
      } catch {
        // The transaction is lost, and with it the whole group.
        throw error;
      }
      return () => write.reject(explain(error));
    }
  }

  function rejectAll(group: readonly Waiting[], error: unknown): void {
    const failure = explain(error);
    for (const { reject } of group) reject(failure);
  }

  return {
    write: (work, more) =>
      new Promise((resolve, reject) => {
        const run = () => {
          const value = work();
          return () => resolve(value);
        };
        waiting.push({ run, reject });
        flushing ??= more
          ? new Promise((done) => atEndOfTurn(() => done(flush())))
          : Promise.resolve().then(flush);
      }),
    async idle() {
      while (flushing !== undefined) await flushing;
    },
  };
}
