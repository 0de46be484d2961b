import { randomUUID } from 'node:crypto';
import { claim } from '../commands/claim.js';
import { decide } from '../commands/decide.js';
import { move, submitEvidence } from '../commands/move.js';
import { admit, consume, endRun, renew } from '../commands/run.js';
import { standingDecisions } from '../decision.js';
import type { EffectKey } from '../effect.js';
import { LedgerError } from '../ledger-error.js';
import type { LedgerTables } from '../ledger-tables.js';
import type { Claim, LedgerStore, Moved } from '../store.js';
import { atEndOfTurn, pause, wallClock } from '../wall-clock.js';
import { decisionTable } from './decision-table.js';
import { effectTable, findEffects } from './effect-table.js';
import { ledgerError } from './failure.js';
import { groupCommit, untilNotBusy } from './group-commit.js';
import { LedgerMemory } from './ledger-memory.js';
import { type OpenLedger, openLedger } from './open-database.js';
import { ownerColumn } from './owner-column.js';
import { findRuns, runTable } from './run-table.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { findStamp, stampTable } from './stamp-table.js';
import { preparedStatements } from './statements.js';

export interface SqliteLedgerOptions {
  /** Wall-clock milliseconds. Default: the system's clock. */
  readonly now?: () => number;
}

/**
 * A ledger in a SQLite file of its own, shared by the processes of one machine. Durable: a promise
 * resolves when the disk has it (WAL, `synchronous = FULL`). The disk's flush blocks the event loop for
 * its duration, about 0.1 ms on a fast disk and up to 10 ms on a slow one; writes that wait together
 * share one.
 *
 * @param file path on a local disk, made if it is missing (its folder must exist), or a handle of
 * better-sqlite3, libsql or node:sqlite, which the ledger sets up and leaves open on `close`
 * @throws SetupError at once: `option_out_of_range` for what is neither, `driver_missing`,
 * `ledger_unreadable`, `ledger_newer`, `ledger_read_only`, `ledger_full`. Later its methods reject with a LedgerError.
 * @example
 * const ledger = sqliteLedger('./holdfast.db');
 */
export function sqliteLedger(
  file: string | SqliteDatabase,
  options: SqliteLedgerOptions = {},
): LedgerStore {
  return sqliteStore(openLedger(file), { now: options.now ?? wallClock, pause });
}

/** The store on an open ledger, with everything injected that takes time. */
export function sqliteStore(
  { database, location, id, close }: OpenLedger,
  { now, pause }: { readonly now: () => number; readonly pause: (ms: number) => Promise<void> },
): LedgerStore {
  const statements = preparedStatements(database);
  const explain = (error: unknown) => ledgerError(error, location);
  const memory = new LedgerMemory();
  const group = groupCommit(database, { statements, memory, pause, atEndOfTurn, explain });
  /** Effects that were begun here and have not come to an end here: their writes are still to come. */
  const underWay = new Set<EffectKey>();
  const owners = ownerColumn();
  const counted = memory.counted(statements);
  const tables: LedgerTables = {
    ...effectTable(counted, owners, memory),
    ...runTable(counted, owners, memory),
    ...decisionTable(counted),
    ...stampTable(counted),
  };
  let closed = false;

  function write<T>(work: () => T, own?: EffectKey): Promise<T> {
    if (closed) return Promise.reject(closedError());
    const others = underWay.size - (own !== undefined && underWay.has(own) ? 1 : 0);
    return group.write(work, others > 0);
  }

  async function read<T>(work: () => T): Promise<T> {
    if (closed) throw closedError();
    const outcome = await untilNotBusy(work, pause);
    if ('error' in outcome) throw explain(outcome.error);
    return outcome.value;
  }

  function closedError(): LedgerError {
    return new LedgerError('closed', `The ledger ${location} was closed before this.`);
  }

  function noteMove(key: EffectKey, moved: Moved): Moved {
    if ('moved' in moved && moved.moved.state === 'attempting') underWay.add(key);
    // Refused too: somebody else has moved the row on.
    else underWay.delete(key);
    return moved;
  }

  function noteClaim(claim: Claim): Claim {
    if (claim.found === 'nothing' || claim.found === 'failed') underWay.add(claim.effect.key);
    return claim;
  }

  return {
    kind: 'sqlite',
    location,
    id,
    admit: (admission) => write(() => admit(tables, admission, now())),
    endRun: (runId, status, consumedMs) =>
      write(() => endRun(tables, runId, { status, consumedMs }, now())),
    consume: (runId, consumedMs) => write(() => consume(tables, runId, consumedMs, now())),
    runs: (query) => read(() => findRuns(statements, query)),
    claim: (declaration, claimant, stamps = []) =>
      write(() => noteClaim(claim(tables, declaration, claimant, stamps, now()))),
    move: (key, expect, transition, by) =>
      write(
        () =>
          noteMove(
            key,
            move(
              tables,
              key,
              expect,
              transition,
              { claimant: by?.claimant, attempt: by?.attempt, newId: randomUUID },
              now(),
            ),
          ),
        key,
      ),
    submitEvidence: (key, attempt, transition) =>
      write(() => noteMove(key, submitEvidence(tables, key, attempt, transition, now())), key),
    renew: (runId, claimant) => write(() => renew(tables, runId, claimant, now())),
    find: (query) => read(() => findEffects(statements, query)),
    decide: (decision) => write(() => decide(tables, decision, now())),
    decisions: (query) => read(() => standingDecisions(tables.decisionsOf(query))),
    stamp: (stamp) => write(() => tables.putStamp(stamp)),
    stampOf: (at) => read(() => findStamp(statements, at)),
    async close() {
      if (closed) return;
      closed = true;
      await group.idle();
      close();
    },
  };
}
