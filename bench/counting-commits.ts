import type { SqliteDatabase } from '@holdfast/effect-ledger/sqlite';

/** A database that counts what is committed to it in transactions. */
export function countingCommits(database: SqliteDatabase): {
  readonly database: SqliteDatabase;
  /** Since it was made. */
  commits(): number;
} {
  let commits = 0;
  const count = (sql: string): void => {
    if (/^\s*(commit|end)\b/i.test(sql)) commits += 1;
  };
  return {
    database: {
      exec(sql) {
        count(sql);
        return database.exec(sql);
      },
      prepare(sql) {
        const statement = database.prepare(sql);
        return {
          run(...given) {
            count(sql);
            return statement.run(...given);
          },
          get: (...given) => statement.get(...given),
          all: (...given) => statement.all(...given),
        };
      },
    },
    commits: () => commits,
  };
}
