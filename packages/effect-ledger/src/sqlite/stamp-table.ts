import type { LedgerTables } from '../ledger-tables.js';
import type { CheckpointRef, CheckpointStamp } from '../store.js';
import { integer, text, toText } from './columns.js';
import type { Statements } from './statements.js';

const sql = {
  put: `INSERT OR REPLACE INTO stamp (thread_id, ns, id, ledger_id, intent_id, run_id, seq,
    registry_digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  at: 'SELECT * FROM stamp WHERE thread_id = ? AND ns = ? AND id = ?',
} as const;

export function stampTable(statements: Statements): Pick<LedgerTables, 'putStamp'> {
  return {
    putStamp: (stamp) =>
      void statements.run(
        sql.put,
        toText(stamp.threadId),
        toText(stamp.ns),
        toText(stamp.id),
        toText(stamp.ledgerId),
        toText(stamp.intentId),
        toText(stamp.runId),
        stamp.seq,
        toText(stamp.registryDigest),
      ),
  };
}

/** A stamp outside of a commit. */
export function findStamp(statements: Statements, at: CheckpointRef): CheckpointStamp | undefined {
  const row = statements.get(sql.at, toText(at.threadId), toText(at.ns), toText(at.id));
  return (
    row && {
      threadId: text(row, 'thread_id'),
      ns: text(row, 'ns'),
      id: text(row, 'id'),
      ledgerId: text(row, 'ledger_id'),
      intentId: text(row, 'intent_id'),
      runId: text(row, 'run_id'),
      seq: integer(row, 'seq'),
      registryDigest: text(row, 'registry_digest'),
    }
  );
}
