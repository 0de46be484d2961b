import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenedDatabase } from '../sqlite/driver.js';

/** A folder for one test, and the way to be rid of it. */
export function newFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'effect-ledger-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

type OpenDatabase = (file: string) => OpenedDatabase;

/** A driver by its name, or undefined when it does not work on this machine. */
function driverNamed(name: string): OpenDatabase | undefined {
  const require = createRequire(import.meta.url);
  try {
    const module = require(name);
    const Database = module.DatabaseSync ?? module;
    new Database(':memory:').close();
    return (file) => new Database(file);
  } catch {
    return undefined;
  }
}

/** Two connections to a new file, and the way to be rid of them. */
export function newFile({ name, open }: (typeof drivers)[number]): {
  readonly handles: [OpenedDatabase, OpenedDatabase];
  readonly remove: () => void;
} {
  if (open === undefined) throw new Error(`${name} does not work here`);
  const { folder, remove } = newFolder();
  const file = join(folder, 'ledger.db');
  const handles: [OpenedDatabase, OpenedDatabase] = [open(file), open(file)];
  return {
    handles,
    remove() {
      for (const handle of handles) handle.close();
      remove();
    },
  };
}

/**
 * The drivers that the suites run on. One that this machine lacks is skipped by name; with
 * REQUIRE_DRIVERS set that is a failure, except for the one that comes with Node.js 22 and later.
 */
export const drivers = ['libsql', 'better-sqlite3', 'node:sqlite'].map((name) => {
  const open = driverNamed(name);
  if (open === undefined && name !== 'node:sqlite' && process.env.REQUIRE_DRIVERS === '1') {
    throw new Error(`${name} does not work here: node scripts/build-better-sqlite3.mjs`);
  }
  return { name, open };
});
