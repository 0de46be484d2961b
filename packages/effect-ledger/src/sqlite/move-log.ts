import type { LedgerTables } from '../ledger-tables.js';
import { toOptionalText } from './columns.js';
import type { Statements } from './statements.js';

const append = `INSERT INTO move (key, from_state, to_state, actor, attempt, evidence, note, at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/** The log whose line numbers, which SQLite counts up, are the ledger sequence. */
export function moveLog(statements: Statements): Pick<LedgerTables, 'log'> {
  return {
    log: (move) =>
      statements.run(
        append,
        move.key,
        move.from ?? null,
        move.to,
        toOptionalText(move.actor),
        toOptionalText(move.attempt),
        move.evidence,
        toOptionalText(move.note),
        move.at,
      ),
  };
}
