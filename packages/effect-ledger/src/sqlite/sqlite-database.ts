/** The little that better-sqlite3, libsql and node:sqlite have in common; all of it is synchronous. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

export interface SqliteStatement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  /** From then on `get` gives the first column in place of the row. node:sqlite has none. */
  pluck?(): SqliteStatement;
}

/**
 * What all three bind, one by one, to plain `?`: better-sqlite3 takes `?1` for a name. The first value of
 * a statement must not be bytes: libsql takes a leading object for names and values, and aborts.
 */
export type SqlValue = string | number | null | Uint8Array;
