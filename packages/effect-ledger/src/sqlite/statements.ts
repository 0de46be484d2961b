import type { Row } from './columns.js';
import type { SqliteDatabase, SqliteStatement, SqlValue } from './sqlite-database.js';

/** Each statement is prepared once, when it is first needed. */
export interface Statements {
  /** Returns the row id of the last insert. */
  run(sql: string, ...values: SqlValue[]): number;
  get(sql: string, ...values: SqlValue[]): Row | undefined;
  all(sql: string, ...values: SqlValue[]): readonly Row[];
}

export function preparedStatements(database: SqliteDatabase): Statements {
  const prepared = new Map<string, SqliteStatement>();
  const statement = (sql: string): SqliteStatement => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const made = database.prepare(sql);
    prepared.set(sql, made);
    return made;
  };
  return {
    run(sql, ...values) {
      const done = statement(sql).run(...values) as { readonly lastInsertRowid: number | bigint };
      return Number(done.lastInsertRowid);
    },
    get: (sql, ...values) => (statement(sql).get(...values) as Row | null | undefined) ?? undefined,
    all: (sql, ...values) => statement(sql).all(...values) as readonly Row[],
  };
}
