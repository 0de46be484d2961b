import type { SqliteDatabase } from '../sqlite/sqlite-database.js';

export interface CountingDatabase extends SqliteDatabase {
  /** The statements given to `exec`, in order. */
  readonly executed: readonly string[];
  commits(): number;
  /** Makes the next statements of `exec` that match fail, so many times. */
  fail(sql: string, error: Error, times: number): void;
}

/** A handle that counts its commits and fails when it is told to. */
export function countingDatabase(database: SqliteDatabase): CountingDatabase {
  const executed: string[] = [];
  const failing = new Map<string, { readonly error: Error; times: number }>();
  return {
    executed,
    commits: () => executed.filter((sql) => sql === 'COMMIT').length,
    fail: (sql, error, times) => void failing.set(sql, { error, times }),
    prepare: (sql) => database.prepare(sql),
    exec(sql) {
      const failure = failing.get(sql);
      if (failure !== undefined && failure.times > 0) {
        failure.times--;
        throw failure.error;
      }
      executed.push(sql);
      return database.exec(sql);
    },
  };
}

/** An error as better-sqlite3 and libsql throw it. */
export function sqliteError(code: string): Error {
  return Object.assign(new Error(`told to fail with ${code}`), { code });
}
