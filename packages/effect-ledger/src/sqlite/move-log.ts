import type { LoggedMove } from '../ledger-tables.js';
import { jsonLines, member, quoted, type Row } from './columns.js';

/*
 * An effect's log is a column of its row, to which each move adds a line of JSON: a table of its own would
 * be one more page to write for each move.
 */

export function moveLine({ from, to, actor, attempt, evidence, note, at }: LoggedMove): string {
  // States and kinds of evidence are words of ours.
  let line = `{"to":"${to}","evidence":"${evidence}",${member('at', at)}`;
  if (from !== undefined) line += `,"from":"${from}"`;
  if (actor !== undefined) line += `,"actor":${quoted(actor)}`;
  if (attempt !== undefined) line += `,"attempt":${quoted(attempt)}`;
  if (note !== undefined) line += `,"note":${quoted(note)}`;
  return `${line}}\n`;
}

/** Oldest first. */
export function movesOf(row: Row): readonly LoggedMove[] {
  return jsonLines<LoggedMove>(row, 'log');
}
