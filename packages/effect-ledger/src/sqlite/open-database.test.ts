import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EffectKey } from '../effect.js';
import { isLedgerError } from '../ledger-error.js';
import { sqliteError } from '../testing/counting-database.js';
import { setupError } from '../testing/setup-error.js';
import { drivers, newFolder } from '../testing/sqlite-file.js';
import { firstEndAfter, rowOf, succeeded, wish, worker } from '../testing/worker.js';
import { toText } from './columns.js';
import { findDriver, type OpenedDatabase } from './driver.js';
import { ledgerReader } from './ledger-reader.js';
import { openLedger } from './open-database.js';
import { migrate } from './schema.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { sqliteLedger } from './sqlite-ledger.js';

/** A ledger as the program of version 1 left it. */
const version1 = fileURLToPath(new URL('../testing/ledger-version-1.sql', import.meta.url));

for (const { name, open } of drivers) {
  describe.skipIf(open === undefined)(`opening a ledger with ${name}`, () => {
    let folder: string;
    let file: string;
    let remove: () => void;
    let handles: OpenedDatabase[];
    const handle = (path = file) => {
      if (open === undefined) throw new Error(`${name} does not work here`);
      const made = open(path);
      handles.push(made);
      return made;
    };
    /** With everything in the file itself: libsql leaves the log beside it. */
    const closeAll = () => {
      handles.at(-1)?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      for (const made of handles.splice(0)) made.close();
    };
    beforeEach(() => {
      ({ folder, remove } = newFolder());
      file = join(folder, 'ledger.db');
      handles = [];
    });
    afterEach(() => {
      for (const made of handles) made.close();
      remove();
    });

    it('makes a file that is durable, and reads it back', () => {
      const database = handle();
      expect(sqliteLedger(database).location).toBe(realpathSync(file));
      const pragma = (setting: string) =>
        Object.values(database.prepare(`PRAGMA ${setting}`).get() as object)[0];
      expect(pragma('journal_mode')).toBe('wal');
      expect(pragma('synchronous')).toBe(2);
      expect(pragma('busy_timeout')).toBe(10);
    });

    it('finds the same ledger in the file later on', async () => {
      const first = sqliteLedger(handle());
      const effect = await worker(first, 'ada').doing(wish(), succeeded());
      await first.close();
      const second = sqliteLedger(handle());
      expect(second.id).toBe(first.id);
      expect(await rowOf(second, effect.key)).toEqual(effect);
      expect(sqliteLedger(handle(join(folder, 'other.db'))).id).not.toBe(first.id);
    });

    it('stores no identity text', async () => {
      const ledger = sqliteLedger(handle());
      await worker(ledger, 'ada').doing(wish({ identity: 'SECRET-IDENTITY' }), succeeded());
      await ledger.close();
      for (const path of [file, `${file}-wal`]) {
        expect(readFileSync(path, 'latin1')).not.toContain('SECRET-IDENTITY');
      }
    });

    it('leaves a given handle open', async () => {
      const database = handle();
      await sqliteLedger(database).close();
      expect(database.prepare('SELECT 1 AS one').get()).toMatchObject({ one: 1 });
    });

    it.each(['', ':memory:'])('refuses a database that would not outlive a crash: "%s"', (path) => {
      const error = setupError(() => sqliteLedger(handle(path)));
      expect(error.code).toBe('ledger_unreadable');
      expect(error.reason).toMatch(/journal_mode is (delete|memory)/);
    });

    it('refuses a handle that does not keep synchronous = FULL', () => {
      const database = handle();
      const lies: SqliteDatabase = {
        exec: (sql) => (sql.includes('synchronous = FULL') ? undefined : database.exec(sql)),
        prepare: (sql) => database.prepare(sql),
      };
      database.exec('PRAGMA synchronous = NORMAL');
      const error = setupError(() => sqliteLedger(lies));
      expect(error.code).toBe('ledger_unreadable');
      expect(error.reason).toContain('synchronous is 1');
    });

    it('waits while others switch the same new file to WAL', () => {
      const database = handle();
      let busy = 2;
      const contended: SqliteDatabase = {
        exec: (sql) => database.exec(sql),
        prepare(sql) {
          if (sql === 'PRAGMA journal_mode = WAL' && busy-- > 0) throw sqliteError('SQLITE_BUSY');
          return database.prepare(sql);
        },
      };
      expect(sqliteLedger(contended).kind).toBe('sqlite');
      expect(busy).toBe(-1);
    });

    it('needs no lock when the file is up to date', () => {
      sqliteLedger(handle());
      const writer = handle();
      writer.exec('BEGIN IMMEDIATE');
      expect(sqliteLedger(handle()).kind).toBe('sqlite');
    });

    it('refuses what is no database', () => {
      writeFileSync(file, 'no database '.repeat(1000));
      expect(setupError(() => sqliteLedger(handle())).code).toBe('ledger_unreadable');
    });

    it('refuses a damaged database', async () => {
      await sqliteLedger(handle()).close();
      closeAll();
      writeFileSync(file, readFileSync(file).fill(0xaa, 100));
      expect(setupError(() => sqliteLedger(handle())).code).toBe('ledger_unreadable');
    });

    it('says at run time that its file is damaged', async () => {
      const database = handle();
      await worker(sqliteLedger(database), 'ada').doing(wish(), succeeded());
      const table = database
        .prepare(`SELECT rootpage FROM sqlite_master WHERE name = 'effect'`)
        .get() as { rootpage: number };
      closeAll();
      const content = readFileSync(file);
      writeFileSync(file, content.fill(0xaa, (table.rootpage - 1) * 4096, table.rootpage * 4096));
      const reading = sqliteLedger(handle()).find({ runId: 'run-1' });
      const error = await reading.catch((thrown: unknown) => thrown);
      expect(isLedgerError(error) && error.code).toBe('corrupt');
    });

    it('refuses a database of something else', () => {
      handle().exec('CREATE TABLE checkpoints (id TEXT)');
      const error = setupError(() => sqliteLedger(handle()));
      expect(error.code).toBe('ledger_unreadable');
      expect(error.reason).toContain('checkpoints');
    });

    it('refuses a ledger of a later version, and leaves it as it is', () => {
      const database = handle();
      const { id } = sqliteLedger(database);
      database.exec(`UPDATE meta SET value = '99' WHERE name = 'version'`);
      const error = setupError(() => sqliteLedger(handle()));
      expect(error.code).toBe('ledger_newer');
      expect(error.reason).toContain('version 99');
      expect(database.prepare('SELECT value FROM meta ORDER BY name').all()).toMatchObject([
        { value: id },
        { value: '99' },
      ]);
    });

    it('brings a file of version 1 forward, and finds in it what was there', async () => {
      const database = handle();
      database.exec(readFileSync(version1, 'utf8'));
      const odd = 'a\0b "quoted" \ud800 é';
      database.prepare('UPDATE move SET note = ? WHERE seq = 2').run(toText(odd));
      // Written when the first effect had ended.
      database.exec('UPDATE stamp SET seq = 2');
      const ledger = sqliteLedger(database);
      expect(ledger.id).toBe('260656a8-8f16-4a2c-b224-6b91762a1e4c');
      const runs = await ledger.runs({ tenant: 'acme', threadId: 'thread-1' });
      expect(runs).toMatchObject([
        { runId: 'run-2', consumedMs: 0, ended: { at: 1_700_000_000_020, status: 'complete' } },
        { runId: 'run-1', consumedMs: 0, input: new Uint8Array([1, 2]) },
      ]);
      expect(Object.keys(runs[1] ?? {})).not.toContain('limits');
      const rows = await ledger.find({ runId: 'run-1' });
      expect(rows.map(({ tool, state, generation }) => [tool, state, generation])).toEqual([
        ['send_mail', 'succeeded', 0],
        ['send_mail', 'failed', 0],
        ['set', 'succeeded', 0],
        ['set', 'succeeded', 0],
        ['set', 'unknown', 1],
        ['ask', 'suspended', 0],
        ['pay', 'attempting', 0],
      ]);
      expect(rows[0]).toMatchObject({
        before: new Uint8Array([3]),
        undo: { undo: 'ready', tool: 'recall', args: new Uint8Array([7]) },
      });
      expect(await ledger.find({ tenant: 'acme', intentId: 'intent-1' })).toEqual(rows);
      // Beginnings kept their numbers, and ends are where they were between them.
      expect(rows.map(({ startSeq }) => startSeq)).toEqual([1, 3, 5, 7, 9, 11, 13]);
      expect(rows.map(({ endSeq }) => endSeq)).toEqual([
        ...[1, 3, 5, 7, 9].map((begun) => firstEndAfter(begun)),
        ...[undefined, undefined],
      ]);
      const reader = ledgerReader(openLedger(database));
      const key = rows[0]?.key as EffectKey;
      const made = { actor: 'ada', attempt: 'ada-1', at: 1_700_000_000_010 };
      expect(reader.moves(key)).toEqual([
        { to: 'attempting', evidence: 'declared', ...made },
        { from: 'attempting', to: 'succeeded, open', evidence: 'attempt', note: odd, ...made },
      ]);
      const checkpoint = { threadId: 'thread-1', ns: '', id: 'checkpoint-1' };
      const stamp = { seq: firstEndAfter(1), runId: 'run-1' };
      expect(await ledger.stampOf(checkpoint)).toMatchObject(stamp);
      // And goes on with it as with one of its own.
      const ada = worker(ledger, 'ada');
      expect(await ada.claim(wish())).toEqual({ found: 'done', effect: rows[0] });
      const next = await ada.claim(wish({ ordinal: 2 }), { consumedMs: 9 });
      expect(next).toMatchObject({ effect: { startSeq: 14 } });
      expect(await ledger.runs({ runId: 'run-1' })).toMatchObject([{ consumedMs: 9 }]);
      expect(await ledger.decisions({ tenant: 'acme', runId: 'run-1' })).toEqual([]);
    });

    it('keeps the number of an end before all beginnings, as a row has that was begun again', async () => {
      const database = handle();
      database.exec(readFileSync(version1, 'utf8'));
      database.exec(`DELETE FROM effect WHERE start_seq < 13;
        UPDATE effect SET end_seq = 2 WHERE start_seq = 13`);
      const [row] = await sqliteLedger(database).find({ runId: 'run-1' });
      expect(row).toMatchObject({ state: 'attempting', startSeq: 13 });
      expect(row?.endSeq).toBe(2 * firstEndAfter(0));
    });

    it('finds all effects of a run of before, however many they are, and the next ones', async () => {
      const database = handle();
      database.exec(readFileSync(version1, 'utf8'));
      for (let copy = 1; copy <= 10; copy++) {
        database.exec(`CREATE TEMP TABLE copied AS SELECT * FROM effect WHERE start_seq <= 13;
          UPDATE copied SET key = key || ${copy}, start_seq = start_seq + 20 * ${copy}, end_seq = NULL;
          INSERT INTO effect SELECT * FROM copied; DROP TABLE copied`);
      }
      const ledger = sqliteLedger(database);
      const before = await ledger.find({ runId: 'run-1' });
      expect(before).toHaveLength(77);
      const numbers = before.map(({ startSeq }) => startSeq);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      for (let ordinal = 2; ordinal <= 101; ordinal++) {
        await worker(ledger, 'ada').doing(wish({ ordinal }), succeeded());
      }
      const after = await ledger.find({ runId: 'run-1' });
      expect(after.map(({ startSeq }) => startSeq)).toEqual([
        ...numbers,
        ...Array.from({ length: 100 }, (_, i) => 214 + i),
      ]);
    });

    it('brings an older ledger forward, step by step, and only once', () => {
      const database = handle();
      const steps = ['CREATE TABLE a (x); INSERT INTO a VALUES (1)', 'ALTER TABLE a ADD y'];
      const id = migrate(database, file, steps.slice(0, 1));
      expect(migrate(database, file, steps)).toBe(id);
      expect(migrate(database, file, steps)).toBe(id);
      expect(database.prepare('SELECT x, y FROM a').all()).toMatchObject([{ x: 1, y: null }]);
    });

    it('leaves an older ledger as it is when a step fails', () => {
      const database = handle();
      const steps = [
        'CREATE TABLE a (x)',
        'INSERT INTO a VALUES (1); INSERT INTO nothing VALUES (1)',
      ];
      migrate(database, file, steps.slice(0, 1));
      expect(() => migrate(database, file, steps)).toThrow(/nothing/);
      expect(database.prepare('SELECT * FROM a').all()).toEqual([]);
      expect(migrate(database, file, steps.slice(0, 1))).toMatch(/-/);
    });

    it('refuses a handle through which nothing can be written', () => {
      const database = handle();
      database.exec('PRAGMA journal_mode = WAL');
      database.exec('PRAGMA query_only = ON');
      expect(setupError(() => sqliteLedger(database)).code).toBe('ledger_read_only');
    });

    it('refuses a disk without room', () => {
      const database = handle();
      database.exec('PRAGMA journal_mode = WAL');
      database.exec('PRAGMA max_page_count = 3');
      expect(setupError(() => sqliteLedger(database)).code).toBe('ledger_full');
    });
  });
}

describe('opening a ledger by its path', () => {
  let folder: string;
  let remove: () => void;
  beforeEach(() => {
    ({ folder, remove } = newFolder());
  });
  afterEach(() => remove());

  it('makes the file, and closes it', async () => {
    const file = join(folder, 'ledger.db');
    const opened = openLedger(file);
    expect(opened.location).toBe(file);
    expect(existsSync(file)).toBe(true);
    opened.close();
    expect(() => opened.database.exec('SELECT 1')).toThrow(/not open/);
    expect(sqliteLedger(file)).toMatchObject({ kind: 'sqlite', location: file, id: opened.id });
  });

  it.skipIf(process.platform === 'win32')(
    'makes it for its user alone, and leaves the mode of one that is there',
    () => {
      const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
      const file = join(folder, 'ledger.db');
      const opened = openLedger(file);
      expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
      opened.close();
      chmodSync(file, 0o640);
      openLedger(file).close();
      expect(modeOf(file)).toBe('640');
    },
  );

  it('does what was asked before it is closed', async () => {
    const ledger = sqliteLedger(join(folder, 'ledger.db'));
    const claim = worker(ledger, 'ada').claim(wish());
    await ledger.close();
    expect(await claim).toMatchObject({ found: 'nothing' });
  });

  it('refuses a folder that does not exist, and a folder in place of a file', () => {
    const missing = setupError(() => sqliteLedger(join(folder, 'none', 'ledger.db')));
    expect(missing).toMatchObject({ code: 'ledger_unreadable', fix: 'create it' });
    expect(missing.reason).toContain(join(folder, 'none'));
    mkdirSync(join(folder, 'ledger.db'));
    const error = setupError(() => sqliteLedger(join(folder, 'ledger.db')));
    expect(error.reason).toContain('not a file');
  });

  it.each([
    ['nothing', undefined, 'nothing was given'],
    ['options in place of a file', { file: 'ledger.db' }, '[object Object] was given'],
    ['null', null, 'null was given'],
  ])('refuses %s', (_, given, reason) => {
    const error = setupError(() => sqliteLedger(given as never));
    expect(error).toMatchObject({ code: 'option_out_of_range', field: 'file' });
    expect(error.reason).toContain(reason);
    expect(error.fix).toContain('give the path of a file');
  });

  it('refuses a database in memory', () => {
    expect(setupError(() => sqliteLedger(':memory:')).reason).toContain('journal_mode is memory');
  });
});

describe('the driver', () => {
  class Works {
    close() {}
  }
  class NotCompiled {
    constructor() {
      throw new Error('Could not locate the bindings file.\nTried: …');
    }
  }
  const from = (modules: Record<string, unknown>) => (name: string) => {
    if (name in modules) return modules[name];
    throw new Error(`Cannot find module '${name}'\nRequire stack: …`);
  };

  it('is the first that works, in the order that the documentation names', () => {
    const all = { 'better-sqlite3': Works, libsql: Works, 'node:sqlite': { DatabaseSync: Works } };
    expect(findDriver(from(all)).name).toBe('better-sqlite3');
    expect(findDriver(from({ ...all, 'better-sqlite3': NotCompiled })).name).toBe('libsql');
    expect(findDriver(from({ 'node:sqlite': { DatabaseSync: Works } })).name).toBe('node:sqlite');
  });

  it('is asked for with the line that installs one when there is none', () => {
    const error = setupError(() => findDriver(from({ 'better-sqlite3': NotCompiled })));
    expect(error.code).toBe('driver_missing');
    expect(error.reason).toContain('better-sqlite3 (Could not locate the bindings file.)');
    expect(error.reason).toContain("libsql (Cannot find module 'libsql')");
    expect(error.fix).toContain('npm install libsql');
  });
});
