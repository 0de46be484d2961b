import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type Database from 'libsql';

/** better-sqlite3 and libsql have the same class. */
export interface SqliteDriver {
  readonly name: string;
  open(file: string): Database.Database;
}

/**
 * The drivers that work here, in the order in which `sqliteLedger` takes them. better-sqlite3 is compiled
 * first, which takes a minute or two once; where there is no compiler, libsql is left.
 */
export function sqliteDrivers(): readonly [SqliteDriver, ...SqliteDriver[]] {
  const build = fileURLToPath(new URL('../scripts/build-better-sqlite3.mjs', import.meta.url));
  const built = spawnSync(process.execPath, [build], { stdio: ['ignore', 'ignore', 'ignore'] });
  if (built.status !== 0) {
    console.error('better-sqlite3 cannot be compiled here: measured on libsql alone.');
    return [driverNamed('libsql')];
  }
  return [driverNamed('better-sqlite3'), driverNamed('libsql')];
}

function driverNamed(name: string): SqliteDriver {
  const Driver = createRequire(import.meta.url)(name) as typeof Database;
  return { name, open: (file) => new Driver(file) };
}
