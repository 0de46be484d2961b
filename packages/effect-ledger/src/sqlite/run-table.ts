import type { Owner } from '../effect.js';
import { neverHeld, type RunLease } from '../lease.js';
import type { LedgerTables } from '../ledger-tables.js';
import type { RunQuery, RunRecord } from '../store.js';
import * as column from './columns.js';
import type { LedgerMemory } from './ledger-memory.js';
import type { OwnerColumn } from './owner-column.js';
import type { Statements } from './statements.js';

const select = 'SELECT run.*, active_at, consumed_ms FROM run JOIN lease USING (run_id) WHERE';

const sql = {
  byId: `${select} run_id = ?`,
  byIntent: `${select} run.tenant = ? AND run.intent_id = ? ORDER BY run.rowid DESC`,
  byThread: `${select} run.tenant = ? AND thread_id = ? ORDER BY run.rowid DESC`,
  insert: `INSERT INTO run (run_id, tenant, intent_id, thread_id, input_id, input_digest, input,
    registry_digest, limits, mode, admitted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  touch: `INSERT INTO lease (run_id, epoch, until_ms, active_at) VALUES (?, 0, 0, ?)
    ON CONFLICT (run_id) DO UPDATE SET active_at = excluded.active_at`,
  end: 'UPDATE run SET ended_at = ?, ended_status = ? WHERE run_id = ?',
  endRows: `UPDATE effect SET finished = 1 WHERE seq IN (SELECT seq FROM run_effect WHERE run_id = ?)
    AND run_id = ? AND state IN ('succeeded', 'failed')`,
  lease: 'SELECT epoch, holder, until_ms, consumed_ms FROM lease WHERE run_id = ?',
  enter: `INSERT INTO lease (run_id, tenant, intent_id, epoch, holder, until_ms, consumed_ms, active_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id) DO UPDATE SET tenant = excluded.tenant,
    intent_id = excluded.intent_id, epoch = excluded.epoch, holder = excluded.holder,
    until_ms = excluded.until_ms, consumed_ms = excluded.consumed_ms, active_at = excluded.active_at`,
  putLease:
    'UPDATE lease SET epoch = ?, holder = ?, until_ms = ?, consumed_ms = ? WHERE run_id = ?',
} as const;

type RunTable = Pick<
  LedgerTables,
  'run' | 'insertRun' | 'touchRun' | 'endRun' | 'lease' | 'enterRun' | 'putLease'
>;

/** Admissions, and the leases that runs have whether admitted or not. */
export function runTable(
  statements: Statements,
  owners: OwnerColumn,
  memory: LedgerMemory,
): RunTable {
  const holderColumn = (holder: Owner | undefined): string | null =>
    holder === undefined ? null : owners.write(holder);
  function readLease(runId: string): RunLease {
    const row = statements.get(sql.lease, column.toText(runId));
    if (row === undefined) return neverHeld;
    const epoch = column.integer(row, 'epoch');
    const untilMs = column.integer(row, 'until_ms');
    const consumedMs = column.integer(row, 'consumed_ms');
    return row.holder === null
      ? { epoch, untilMs, consumedMs }
      : { epoch, holder: owners.read(row, 'holder'), untilMs, consumedMs };
  }
  return {
    run(runId) {
      const row = statements.get(sql.byId, column.toText(runId));
      return row && runFromRow(row);
    },
    insertRun(run) {
      statements.run(
        sql.insert,
        column.toText(run.runId),
        column.toText(run.tenant),
        column.toText(run.intentId),
        column.toOptionalText(run.threadId),
        column.toText(run.inputId),
        column.toText(run.inputDigest),
        run.input ?? null,
        column.toText(run.registryDigest),
        run.limits === undefined ? null : JSON.stringify(run.limits),
        run.mode ?? null,
        run.admittedAt,
      );
      statements.run(sql.touch, column.toText(run.runId), run.activeAt);
    },
    touchRun: (runId, at) => void statements.run(sql.touch, column.toText(runId), at),
    endRun(runId, at, status) {
      const id = column.toText(runId);
      statements.run(sql.end, at, column.toText(status), id);
      statements.run(sql.endRows, id, id);
      statements.run(sql.touch, id, at);
    },
    lease(runId) {
      const known = memory.lease(runId);
      if (known !== undefined) return known;
      const lease = readLease(runId);
      memory.noteLease(runId, lease);
      return lease;
    },
    enterRun({ tenant, runId, intentId }, lease, at) {
      const { epoch, holder, untilMs, consumedMs } = lease;
      statements.run(
        sql.enter,
        column.toText(runId),
        column.toText(tenant),
        column.toText(intentId),
        epoch,
        holderColumn(holder),
        untilMs,
        consumedMs,
        at,
      );
      memory.noteLease(runId, lease);
    },
    putLease(runId, lease) {
      const { epoch, holder, untilMs, consumedMs } = lease;
      statements.run(
        sql.putLease,
        epoch,
        holderColumn(holder),
        untilMs,
        consumedMs,
        column.toText(runId),
      );
      memory.noteLease(runId, lease);
    },
  };
}

/** Runs outside of a commit, newest admission first. */
export function findRuns(statements: Statements, query: RunQuery): readonly RunRecord[] {
  return rowsOf(statements, query).map(runFromRow);
}

function rowsOf(statements: Statements, query: RunQuery) {
  if ('runId' in query) return statements.all(sql.byId, column.toText(query.runId));
  const tenant = column.toText(query.tenant);
  return 'intentId' in query
    ? statements.all(sql.byIntent, tenant, column.toText(query.intentId))
    : statements.all(sql.byThread, tenant, column.toText(query.threadId));
}

function runFromRow(row: column.Row): RunRecord {
  const threadId = column.optionalText(row, 'thread_id');
  const input = column.optionalBytes(row, 'input');
  const mode = column.optionalText(row, 'mode') as RunRecord['mode'];
  const at = column.optionalInteger(row, 'ended_at');
  return {
    tenant: column.text(row, 'tenant'),
    runId: column.text(row, 'run_id'),
    intentId: column.text(row, 'intent_id'),
    ...(threadId !== undefined && { threadId }),
    inputId: column.text(row, 'input_id'),
    inputDigest: column.text(row, 'input_digest'),
    ...(input !== undefined && { input }),
    registryDigest: column.text(row, 'registry_digest'),
    ...(row.limits !== null && {
      limits: column.json<Readonly<Record<string, number>>>(row, 'limits'),
    }),
    ...(mode !== undefined && { mode }),
    admittedAt: column.integer(row, 'admitted_at'),
    activeAt: column.integer(row, 'active_at'),
    consumedMs: column.integer(row, 'consumed_ms'),
    ...(at !== undefined && { ended: { at, status: column.text(row, 'ended_status') } }),
  };
}
