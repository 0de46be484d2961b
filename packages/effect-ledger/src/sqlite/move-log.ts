import type { LoggedMove } from '../ledger-tables.js';
import { jsonLines, type Row } from './columns.js';

/*
 * An effect's log is a column of its row, to which each move adds a line of JSON: a table of its own would
 * be one more page to write for each move.
 */

export function moveLine(move: LoggedMove): string {
  return `${JSON.stringify(move)}\n`;
}

/** Oldest first. */
export function movesOf(row: Row): readonly LoggedMove[] {
  return jsonLines<LoggedMove>(row, 'moves');
}
