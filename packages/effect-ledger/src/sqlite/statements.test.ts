import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drivers } from '../testing/sqlite-file.js';
import type { OpenedDatabase } from './driver.js';
import { preparedStatements, type Statements } from './statements.js';

for (const { name, open } of drivers) {
  describe.skipIf(open === undefined)(`statements of ${name}`, () => {
    let database: OpenedDatabase;
    let statements: Statements;
    beforeEach(() => {
      if (open === undefined) throw new Error(`${name} does not work here`);
      database = open(':memory:');
      database.exec("CREATE TABLE t (x TEXT); INSERT INTO t VALUES ('one'), ('two')");
      statements = preparedStatements(database);
    });
    afterEach(() => {
      database.close();
    });

    it('give the rows that were asked for, in whatever way they were asked before', () => {
      const sql = 'SELECT x FROM t WHERE x = ?';
      const ask = {
        get: (x: string) => statements.get(sql, x)?.x,
        all: (x: string) => statements.all(sql, x)[0]?.x,
      };
      const ways = [ask.get, ask.all];
      for (const before of ways) {
        for (const after of ways) {
          for (const [first, second] of [
            ['one', 'two'],
            ['one', 'none'],
            ['none', 'two'],
          ] as const) {
            before(first);
            expect(after(second)).toBe(second === 'none' ? undefined : second);
          }
        }
      }
    });

    it('give the one value of a statement', () => {
      expect(statements.value('SELECT count(*) AS count FROM t')).toBe(2);
      expect(statements.value('SELECT max(x) FROM t WHERE x IS NULL')).toBeNull();
      expect(statements.value('SELECT x FROM t WHERE x IS NULL')).toBeUndefined();
    });
  });
}
