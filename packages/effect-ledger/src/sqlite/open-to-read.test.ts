import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setupError } from '../testing/setup-error.js';
import { drivers, newFolder } from '../testing/sqlite-file.js';
import { succeeded, wish, worker } from '../testing/worker.js';
import { ledgerReader } from './ledger-reader.js';
import { openToRead } from './open-to-read.js';
import { sqliteLedger } from './sqlite-ledger.js';

const version1 = fileURLToPath(new URL('../testing/ledger-version-1.sql', import.meta.url));
const require = createRequire(import.meta.url);

for (const { name, open } of drivers) {
  describe.skipIf(open === undefined)(`opening a ledger to read it with ${name}`, () => {
    let folder: string;
    let file: string;
    let remove: () => void;
    beforeEach(() => {
      ({ folder, remove } = newFolder());
      file = join(folder, 'ledger.db');
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      remove();
    });
    const toRead = (path = file) =>
      openToRead(path, (driver) => {
        if (driver !== name) throw new Error('not this one');
        return require(driver);
      });
    const opened = (path = file) => {
      if (open === undefined) throw new Error(`${name} does not work here`);
      return open(path);
    };

    it('sees what others write meanwhile, and can write nothing itself', async () => {
      const database = opened();
      const ada = worker(sqliteLedger(database), 'ada');
      await ada.doing(wish(), succeeded());
      const found = toRead();
      const reader = ledgerReader(found);
      expect(reader.effects({ runId: 'run-1' })).toHaveLength(1);
      await ada.doing(wish({ ordinal: 1 }), succeeded());
      expect(reader.effects({ runId: 'run-1' })).toHaveLength(2);
      expect(() => found.database.exec('DELETE FROM effect')).toThrow(/readonly|read-only/);
      reader.close();
      expect(await ada.claim(wish())).toMatchObject({ found: 'done' });
      database.close();
    });

    it('refuses what is no ledger, says why, and leaves it as it is', async () => {
      const at = (path: string) => join(folder, path);
      mkdirSync(at('folder'));
      writeFileSync(at('empty'), '');
      writeFileSync(at('text'), 'no database '.repeat(100));
      const make = (path: string, sql: string) => {
        const database = opened(at(path));
        database.exec(sql);
        database.close();
      };
      make('other', 'CREATE TABLE checkpoints (id TEXT)');
      make('namesake', 'CREATE TABLE meta (id TEXT)');
      make(
        'newer',
        `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
          INSERT INTO meta VALUES ('id', 'x'), ('version', '99')`,
      );
      const contents = () =>
        ['empty', 'text', 'other', 'namesake', 'newer'].map((path) => readFileSync(at(path)));
      const before = contents();
      for (const [path, code, reason] of [
        ['missing', 'ledger_unreadable', 'there is no such file'],
        ['folder', 'ledger_unreadable', 'it is a folder'],
        ['empty', 'ledger_unreadable', 'it is empty'],
        ['text', 'ledger_unreadable', 'it is no database'],
        ['other', 'ledger_unreadable', 'it is a database, but not a ledger'],
        ['namesake', 'ledger_unreadable', 'it is a database, but not a ledger'],
        ['newer', 'ledger_newer', 'its schema has version 99'],
      ] as const) {
        const error = setupError(() => toRead(at(path)));
        expect([path, error.code]).toEqual([path, code]);
        expect(error.reason).toContain(`${at(path)}: ${reason}`);
      }
      expect(contents()).toEqual(before);
      expect(existsSync(at('missing'))).toBe(false);
    });

    it('says when another program keeps it locked', async () => {
      const database = opened();
      await sqliteLedger(database).close();
      database.exec('PRAGMA locking_mode = EXCLUSIVE');
      database.exec('BEGIN IMMEDIATE');
      database.exec('UPDATE meta SET value = value');
      database.exec('COMMIT');
      expect(setupError(() => toRead()).reason).toContain('another program keeps it locked');
      database.close();
    });

    it('reads by a link what a program has just written', async () => {
      const database = opened();
      const ada = worker(sqliteLedger(database), 'ada');
      const link = join(folder, 'link');
      symlinkSync(file, link);
      const reader = ledgerReader(toRead(link));
      await ada.doing(wish(), succeeded());
      expect(reader.effects({ runId: 'run-1' })).toHaveLength(1);
      reader.close();
      database.close();
    });

    it('reads a file that nobody has open, and leaves nothing beside it', async () => {
      const database = opened();
      const { key } = await worker(sqliteLedger(database), 'ada').doing(wish(), succeeded());
      // As a copy of a ledger in use is: with its log, and without the index of the log.
      const copy = join(folder, 'copy #1?.db');
      copyFileSync(file, copy);
      copyFileSync(`${file}-wal`, `${copy}-wal`);
      const before = readdirSync(folder);
      const reader = ledgerReader(toRead(copy));
      expect(reader.effects({ runId: 'run-1' })).toMatchObject([{ key }]);
      reader.close();
      expect(readdirSync(folder)).toEqual(before);
      database.close();
    });

    it('reads a file whose process was killed, and leaves it as it is', async () => {
      const database = opened();
      const { key } = await worker(sqliteLedger(database), 'ada').doing(wish(), succeeded());
      const killed = join(folder, 'killed.db');
      for (const end of ['', '-wal', '-shm']) copyFileSync(`${file}${end}`, `${killed}${end}`);
      const before = readFileSync(killed);
      const reader = ledgerReader(toRead(killed));
      expect(reader.effects({ runId: 'run-1' })).toMatchObject([{ key }]);
      reader.close();
      expect(readFileSync(killed)).toEqual(before);
      expect(existsSync(`${killed}-wal`)).toBe(true);
      database.close();
    });

    it.each([
      ['that nobody has open', true],
      ['that a program has open', false],
    ])('reads an older file %s from a copy, and leaves neither changed nor behind', (_, closed) => {
      const temporary = join(folder, 'temporary');
      mkdirSync(temporary);
      vi.stubEnv('TMPDIR', temporary);
      const database = opened();
      database.exec('PRAGMA journal_mode = WAL');
      database.exec(readFileSync(version1, 'utf8'));
      if (closed) database.close();
      expect(existsSync(`${file}-shm`)).toBe(!closed);
      const reader = ledgerReader(toRead());
      expect(reader.id).toBe('260656a8-8f16-4a2c-b224-6b91762a1e4c');
      expect(reader.runs({}, 9)).toMatchObject([{ runId: 'run-2' }, { runId: 'run-1' }]);
      expect(reader.decisions('acme', 'run-1')).toEqual([]);
      expect(readdirSync(temporary)).toHaveLength(1);
      reader.close();
      expect(readdirSync(temporary)).toEqual([]);
      if (!closed) database.close();
      const after = opened();
      const version = after.prepare(`SELECT value FROM meta WHERE name = 'version'`).get();
      expect(version).toMatchObject({ value: '1' });
      after.close();
    });
  });
}
