import { hash } from 'node:crypto';
import { type SqliteDatabase, sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import type { Work } from './paired-rounds.js';

/**
 * What no ledger in such a file can leave out: the rows of a claim and of its settlement in the ledger's own
 * tables, by bare statements in two commits. Nothing is looked up, decided or compared: where the floor is.
 */
export function leastLedger(database: SqliteDatabase): Work {
  sqliteLedger(database);
  const declare = database.prepare(
    `INSERT INTO effect (key, generation, tenant, run_id, intent_id, tool, wish, declared, frozen_args,
      finished, state, owner_id, detail, version, attempts, log)
      VALUES (?, 0, 'bench', ?, ?, 'send_mail', ?, ?, ?, 0, 'attempting', 'owner', ?, 1, ?, ?)`,
  );
  const settle = database.prepare(
    `UPDATE effect SET state = 'succeeded', owner_id = NULL, detail = ?, result = ?, version = 2,
      attempts = ?, log = log || ?, frozen_args = NULL, end_seq = ? WHERE seq = ?`,
  );
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  // As long as those that the ledger writes for the effects of this benchmark.
  const declared = 'x'.repeat(200);
  const detail = 'x'.repeat(150);
  const attempts = 'x'.repeat(70);
  const move = 'x'.repeat(100);
  const inOneCommit = (work: () => void): void => {
    begin.run();
    work();
    commit.run();
  };
  let made = 0;
  return async (count) => {
    for (let left = count; left > 0; left -= 1) {
      made += 1;
      const run = `run ${Math.floor(made / 100)}`;
      const key = hash('sha256', `key ${made}`);
      inOneCommit(() => {
        const row = [key, run, run, key, declared, new Uint8Array(200), detail, attempts, move];
        declare.run(...row);
      });
      inOneCommit(() => {
        settle.run(detail, new Uint8Array(100), attempts, move, made, made);
      });
    }
  };
}
