import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SetupError } from '@holdfast/tool-registry';
import { findDriver } from './driver.js';
import { makeDurable, waitBriefly } from './durability.js';
import { openingError, setupError } from './failure.js';
import { migrate } from './schema.js';
import type { SqliteDatabase } from './sqlite-database.js';

export interface OpenLedger {
  readonly database: SqliteDatabase;
  readonly location: string;
  /** The ledger's own id. */
  readonly id: string;
  /** Closes the database if it was opened here. */
  close(): void;
}

/**
 * Opens a file, or takes an open database, and makes it a ledger that is durable and up to date.
 *
 * @throws SetupError with everything that keeps it from being one
 */
export function openLedger(from: string | SqliteDatabase): OpenLedger {
  if (typeof from !== 'string') {
    checkHandle(from);
    const location = attempt(() => fileOf(from), 'the given database');
    return { database: from, location, id: prepare(from, location), close: () => {} };
  }
  checkPlace(from);
  const driver = findDriver();
  const database = attempt(() => {
    makePrivate(from);
    return driver.open(from);
  }, from);
  try {
    return { database, location: from, id: prepare(database, from), close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

function fileOf(database: SqliteDatabase): string {
  const [main] = database.prepare('PRAGMA database_list').all() as {
    readonly file: string | null;
  }[];
  return main?.file || 'in memory';
}

function prepare(database: SqliteDatabase, location: string): string {
  return attempt(() => {
    makeDurable(database, location);
    const id = migrate(database, location);
    waitBriefly(database);
    return id;
  }, location);
}

function attempt<T>(work: () => T, location: string): T {
  try {
    return work();
  } catch (error) {
    throw openingError(error, location);
  }
}

/** Whoever writes no TypeScript may give nothing, or something else. */
function checkHandle(from: unknown): void {
  const isHandle =
    typeof from === 'object' &&
    from !== null &&
    (['exec', 'prepare'] as const).every(
      (method) => typeof (from as Partial<SqliteDatabase>)[method] === 'function',
    );
  if (isHandle) return;
  const found = from === undefined ? 'nothing was given' : `${String(from)} was given`;
  throw new SetupError('option_out_of_range', [
    {
      field: 'file',
      reason: `${found}, which is neither a path nor an open database`,
      fix: "give the path of a file, such as './holdfast.db', or a handle of better-sqlite3, libsql or node:sqlite",
    },
  ]);
}

/** What drivers report as one and the same "unable to open". */
function checkPlace(file: string): void {
  const folder = dirname(resolve(file));
  // A database in memory is refused with the better reason later on.
  if (file === ':memory:') return;
  if (!existsSync(folder)) {
    throw setupError('ledger_unreadable', file, `its folder ${folder} does not exist`, 'create it');
  }
  if (existsSync(file) && !statSync(file).isFile()) {
    throw setupError('ledger_unreadable', file, 'it is not a file', 'give the path of a file');
  }
  const needed = existsSync(file) ? [folder, file] : [folder];
  const refused = needed.find((path) => !isWritable(path));
  if (refused !== undefined) {
    throw setupError(
      'ledger_read_only',
      file,
      `${refused} cannot be written`,
      'make the file and its folder writable for this user (SQLite keeps its log beside the file)',
    );
  }
}

/**
 * A new ledger is for its user alone to read: arguments and results stand in it. SQLite's log beside it is
 * given the same mode. One that is there keeps the mode that somebody gave it.
 */
function makePrivate(file: string): void {
  if (file === ':memory:' || existsSync(file)) return;
  closeSync(openSync(file, 'a', 0o600));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
