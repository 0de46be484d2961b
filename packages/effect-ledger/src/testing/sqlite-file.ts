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

/** The drivers that the suites run on. The others are skipped by name. */
export const drivers = ['libsql', 'better-sqlite3', 'node:sqlite'].map((name) => ({
  name,
  open: driverNamed(name),
}));
