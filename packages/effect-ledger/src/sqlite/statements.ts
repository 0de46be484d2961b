import type { Row } from './columns.js';
import type { SqliteDatabase, SqliteStatement, SqlValue } from './sqlite-database.js';

/**
 * Each statement is prepared once for each way of running it, when it is first needed. libsql leaves a
 * statement where `all` ended, and a `get` on it would give the row of before.
 */
export interface Statements {
  /** Returns how many rows an insert, update or delete has changed; of anything else a number without meaning. */
  run(sql: string, ...values: SqlValue[]): number;
  get(sql: string, ...values: SqlValue[]): Row | undefined;
  all(sql: string, ...values: SqlValue[]): readonly Row[];
  /** The one column of the one row: to make an object for it takes longer than all the rest. */
  value(sql: string): unknown;
}

export function preparedStatements(database: SqliteDatabase): Statements {
  const run = preparing(database);
  const get = preparing(database);
  const all = preparing(database);
  const pluck = preparing(database, (statement) => statement.pluck?.() ?? statement);
  return {
    run(sql, ...values) {
      const done = run(sql).run(...values) as { readonly changes: number | bigint };
      return Number(done.changes);
    },
    get: (sql, ...values) => (get(sql).get(...values) as Row | null | undefined) ?? undefined,
    all: (sql, ...values) => all(sql).all(...values) as readonly Row[],
    value(sql) {
      const found = pluck(sql).get();
      return typeof found === 'object' && found !== null ? Object.values(found)[0] : found;
    },
  };
}

function preparing(
  database: SqliteDatabase,
  as: (statement: SqliteStatement) => SqliteStatement = (statement) => statement,
): (sql: string) => SqliteStatement {
  const prepared = new Map<string, SqliteStatement>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const made = as(database.prepare(sql));
    prepared.set(sql, made);
    return made;
  };
}
