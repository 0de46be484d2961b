import { block } from '../wall-clock.js';
import { failureCode, setupError } from './failure.js';
import type { SqliteDatabase } from './sqlite-database.js';

/** How long opening may block on others that open the same new file; milliseconds. */
const openingTimeoutMs = 5000;
/** How long one attempt at a write may block the event loop; milliseconds. */
const writingTimeoutMs = 10;

/**
 * Sets what a promise that resolves rests on, and reads it back, because drivers and databases have
 * ideas of their own: better-sqlite3 in WAL mode ends at `NORMAL`, which loses the last commits in a
 * power failure; databases in memory and on some network disks have no WAL.
 *
 * @throws SetupError `ledger_unreadable` when a setting does not hold
 */
export function makeDurable(database: SqliteDatabase, location: string): void {
  database.exec(`PRAGMA busy_timeout = ${openingTimeoutMs}`);
  const mode = switchToWal(database);
  if (mode !== 'wal') {
    throw setupError(
      'ledger_unreadable',
      location,
      `its journal_mode is ${mode} and cannot be wal, so it would not outlive a crash`,
      'give a file on a local disk; for tests there is memoryLedger()',
    );
  }
  // For macOS, where fsync alone leaves data in the disk's cache.
  database.exec('PRAGMA fullfsync = ON');
  database.exec('PRAGMA synchronous = FULL');
  const synchronous = readPragma(database, 'synchronous');
  if (synchronous !== 2) {
    throw setupError(
      'ledger_unreadable',
      location,
      `its synchronous is ${String(synchronous)} although set to FULL (2), so a power failure would lose commits`,
      'give the ledger a database handle of its own, outside of any transaction',
    );
  }
}

/** For the time after opening: what is locked is tried again by {@link untilNotBusy}. */
export function waitBriefly(database: SqliteDatabase): void {
  database.exec(`PRAGMA busy_timeout = ${writingTimeoutMs}`);
}

/** SQLite does not wait for a lock when it changes the mode, so this does. */
function switchToWal(database: SqliteDatabase): string {
  const stepMs = 20;
  for (let waitedMs = 0; ; waitedMs += stepMs) {
    try {
      const mode = readPragma(database, 'journal_mode');
      return String(mode === 'wal' ? mode : readPragma(database, 'journal_mode = WAL'));
    } catch (error) {
      if (failureCode(error) !== 'busy' || waitedMs >= openingTimeoutMs) throw error;
      block(stepMs);
    }
  }
}

function readPragma(database: SqliteDatabase, pragma: string): unknown {
  const row = database.prepare(`PRAGMA ${pragma}`).get();
  return typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
}
