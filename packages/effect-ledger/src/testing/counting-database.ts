import type { SqliteDatabase, SqliteStatement, SqlValue } from '../sqlite/sqlite-database.js';

export interface CountingDatabase extends SqliteDatabase {
  commits(): number;
  /** Everything that was executed, in whatever way. */
  executed(): readonly string[];
  /** Makes the next statements that are this one fail, so many times. */
  fail(sql: string, error: Error, times: number): void;
}

/** A handle that counts what it does and fails when it is told to. */
export function countingDatabase(database: SqliteDatabase): CountingDatabase {
  let commits = 0;
  const executed: string[] = [];
  const failing = new Map<string, { readonly error: Error; times: number }>();
  /** Before each statement is executed, in whatever way. */
  const note = (sql: string): void => {
    const failure = failing.get(sql);
    if (failure !== undefined && failure.times > 0) {
      failure.times--;
      throw failure.error;
    }
    if (sql === 'COMMIT') commits++;
  };
  const noted =
    <A extends unknown[], R>(sql: string, execute: (...given: A) => R) =>
    (...given: A): R => {
      note(sql);
      executed.push(sql);
      return execute(...given);
    };
  return {
    commits: () => commits,
    executed: () => executed,
    fail: (sql, error, times) => void failing.set(sql, { error, times }),
    exec(sql) {
      note(sql);
      executed.push(sql);
      return database.exec(sql);
    },
    prepare(sql) {
      const statement = database.prepare(sql);
      // What else can be seen of a statement tells drivers apart.
      const counted: SqliteStatement = Object.assign(Object.create(statement) as SqliteStatement, {
        run: noted(sql, (...values: SqlValue[]) => statement.run(...values)),
        get: noted(sql, (...values: SqlValue[]) => statement.get(...values)),
        all: noted(sql, (...values: SqlValue[]) => statement.all(...values)),
      });
      const pluck = () => {
        statement.pluck?.();
        return counted;
      };
      return statement.pluck === undefined ? counted : Object.assign(counted, { pluck });
    },
  };
}

/** An error as better-sqlite3 and libsql throw it. */
export function sqliteError(code: string): Error {
  return Object.assign(new Error(`told to fail with ${code}`), { code });
}
