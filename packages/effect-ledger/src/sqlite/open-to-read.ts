import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isSetupError, type SetupError } from '@holdfast/tool-registry';
import { findDriver, type OpenedDatabase } from './driver.js';
import { failureCode, openingError, setupError } from './failure.js';
import type { OpenLedger } from './open-database.js';
import { migrate, readIdentity } from './schema.js';

/** How long another program's lock is waited for; milliseconds. */
const lockTimeoutMs = 2000;
/** The first bytes of every database. https://sqlite.org/fileformat.html */
const header = 'SQLite format 3\0';

/**
 * Opens a ledger's file for looking into it, beside the programs that work with it. Never makes, changes or
 * migrates a file. One that nobody has open is read from a copy in a temporary folder, because even to read
 * in place SQLite would leave files beside it; so is one of an older version, whose copy is brought forward.
 *
 * For a process of its own: where a ledger has the same file open, reading its first bytes would end the
 * ledger's locks (https://sqlite.org/howtocorrupt.html).
 *
 * @param load loads a driver's module by name; default: as this package would
 * @throws SetupError `ledger_unreadable`, `ledger_newer`, `ledger_read_only`, `driver_missing`
 */
export function openToRead(file: string, load?: (name: string) => unknown): OpenLedger {
  checkFile(file);
  const driver = findDriver(load);
  // SQLite keeps its log beside the file itself, not beside a link to it.
  const path = realpathSync(file);
  try {
    return (
      openCopy(file, driver, (copy) => copyAtRest(path, copy)) ?? openInPlace(file, path, driver)
    );
  } catch (error) {
    throw readingError(error, file, path);
  }
}

type Driver = ReturnType<typeof findDriver>;

function openInPlace(file: string, path: string, driver: Driver): OpenLedger {
  const database = driver.openToRead(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${lockTimeoutMs}`);
    const { id, isOlder } = readIdentity(database, file);
    if (!isOlder) return { database, location: file, id, close: () => void database.close() };
    const copied = openCopy(file, driver, (copy) => {
      database.prepare('VACUUM INTO ?').run(copy);
      return true;
    });
    if (copied === undefined) throw new Error(`no copy of ${file} was made`);
    database.close();
    return copied;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens a copy of the file, brought forward; undefined when none could be made.
 *
 * @param copyTo makes the copy at this path, and tells whether it did
 */
function openCopy(
  file: string,
  driver: Driver,
  copyTo: (copy: string) => boolean,
): OpenLedger | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'effect-ledger-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  let opened: OpenedDatabase | undefined;
  try {
    const copy = join(folder, 'ledger.db');
    if (!copyTo(copy)) {
      remove();
      return undefined;
    }
    const database = driver.open(copy);
    opened = database;
    const { id } = readIdentity(database, file);
    migrate(database, file);
    return {
      ...{ database, location: file, id },
      close() {
        database.close();
        remove();
      },
    };
  } catch (error) {
    opened?.close();
    remove();
    throw error;
  }
}

/** Copies a file that nobody has open: whoever has keeps SQLite's index of the log beside it. */
function copyAtRest(file: string, copy: string): boolean {
  const [log, index] = [`${file}-wal`, `${file}-shm`];
  const state = () => {
    const { mtimeMs, size } = statSync(file);
    return existsSync(index) ? undefined : `${mtimeMs} ${size} ${existsSync(log)}`;
  };
  const before = state();
  if (before === undefined) return false;
  copyFileSync(file, copy, constants.COPYFILE_FICLONE);
  if (existsSync(log)) copyFileSync(log, `${copy}-wal`, constants.COPYFILE_FICLONE);
  return state() === before;
}

/** What drivers report as one and the same, or answer by making the file. */
function checkFile(file: string): void {
  const refuse = (reason: string, fix: string): never => {
    throw setupError('ledger_unreadable', file, reason, fix);
  };
  const theRightOne = 'give the path that sqliteLedger was given';
  if (!existsSync(file)) refuse('there is no such file', theRightOne);
  const stats = statSync(file);
  if (stats.isDirectory()) refuse('it is a folder', 'give the path of the file in it');
  if (!stats.isFile()) refuse('it is not a file', theRightOne);
  if (stats.size === 0) refuse('it is empty: no program has opened a ledger in it', theRightOne);
  if (!isAllowed(file, constants.R_OK)) {
    refuse('this user may not read it', 'run this as a user who may, or copy the file');
  }
  if (!startsAsDatabase(file)) refuse('it is no database', theRightOne);
}

function startsAsDatabase(file: string): boolean {
  const bytes = Buffer.alloc(header.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return bytes.toString('latin1') === header;
}

function readingError(error: unknown, file: string, path: string): SetupError {
  if (isSetupError(error)) return error;
  const folder = dirname(path);
  const code = failureCode(error);
  if ((code === 'read_only' || code === 'failed') && !isAllowed(folder, constants.W_OK)) {
    return setupError(
      'ledger_read_only',
      file,
      `a program that had it open has left it without closing it, and to read on SQLite must write in ${folder}`,
      `copy the file and ${basename(path)}-wal to another folder, and look at the copy`,
      error,
    );
  }
  return openingError(error, file);
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
