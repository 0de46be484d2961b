import type { Decision } from '../decision.js';
import type { LedgerTables } from '../ledger-tables.js';
import * as column from './columns.js';
import type { Statements } from './statements.js';

const sql = {
  insert: `INSERT INTO decision (tenant, run_id, thread_id, tool, args_digest, message_id, call_id, kind,
    decided_by, at, expires_at, note, edited_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  byRun: 'SELECT * FROM decision WHERE tenant = ? AND run_id = ? ORDER BY seq',
  byThread: 'SELECT * FROM decision WHERE tenant = ? AND thread_id = ? ORDER BY seq',
} as const;

/** What people decided, one row for each time; what was overruled stays. */
export function decisionTable(
  statements: Statements,
): Pick<LedgerTables, 'decisionsOf' | 'insertDecision'> {
  return {
    decisionsOf(query) {
      const tenant = column.toText(query.tenant);
      const rows =
        'runId' in query
          ? statements.all(sql.byRun, tenant, column.toText(query.runId))
          : statements.all(sql.byThread, tenant, column.toText(query.threadId));
      return rows.map(decisionFromRow);
    },
    insertDecision: (decision) =>
      void statements.run(
        sql.insert,
        column.toText(decision.tenant),
        column.toText(decision.runId),
        column.toOptionalText(decision.threadId),
        column.toText(decision.tool),
        column.toText(decision.argsDigest),
        column.toOptionalText(decision.messageId),
        column.toOptionalText(decision.callId),
        decision.kind,
        column.toText(decision.by),
        decision.at,
        decision.expiresAt ?? null,
        column.toOptionalText(decision.note),
        column.toOptionalText(decision.editedTo),
      ),
  };
}

function decisionFromRow(row: column.Row): Decision {
  const threadId = column.optionalText(row, 'thread_id');
  const messageId = column.optionalText(row, 'message_id');
  const callId = column.optionalText(row, 'call_id');
  const expiresAt = column.optionalInteger(row, 'expires_at');
  const note = column.optionalText(row, 'note');
  const editedTo = column.optionalText(row, 'edited_to');
  return {
    tenant: column.text(row, 'tenant'),
    runId: column.text(row, 'run_id'),
    ...(threadId !== undefined && { threadId }),
    tool: column.text(row, 'tool'),
    argsDigest: column.text(row, 'args_digest'),
    ...(messageId !== undefined && { messageId }),
    ...(callId !== undefined && { callId }),
    kind: column.text(row, 'kind') as Decision['kind'],
    by: column.text(row, 'decided_by'),
    at: column.integer(row, 'at'),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(note !== undefined && { note }),
    ...(editedTo !== undefined && { editedTo }),
  };
}
