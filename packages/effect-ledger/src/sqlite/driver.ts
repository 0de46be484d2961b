import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { SetupError } from '@holdfast/tool-registry';
import type { SqliteDatabase } from './sqlite-database.js';

export interface OpenedDatabase extends SqliteDatabase {
  close(): unknown;
}
type OpenDatabase = new (file: string, options?: object) => OpenedDatabase;

/** In the order in which they are tried. */
const drivers = ['better-sqlite3', 'libsql', 'node:sqlite'] as const;
/** How each is told to open a file for reading alone. */
const forReading: Readonly<
  Record<(typeof drivers)[number], (file: string) => readonly [file: string, options?: object]>
> = {
  'better-sqlite3': (file) => [file, { readonly: true, fileMustExist: true }],
  libsql: (file) => [`${pathToFileURL(file).href}?mode=ro`],
  'node:sqlite': (file) => [file, { readOnly: true }],
};

/**
 * The first driver that works here. A driver that loads may still lack its compiled part, so each must
 * open a database before it counts.
 *
 * @param load loads a module by name; default: as this package would
 * @throws SetupError `driver_missing` when there is none
 */
export function findDriver(load: (name: string) => unknown = createRequire(import.meta.url)) {
  const failures: unknown[] = [];
  for (const name of drivers) {
    try {
      const Database = databaseClass(load(name));
      new Database(':memory:').close();
      return {
        name,
        open: (file: string): OpenedDatabase => new Database(file),
        openToRead: (file: string): OpenedDatabase => new Database(...forReading[name](file)),
      };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new SetupError(
    'driver_missing',
    [
      {
        field: 'sqliteLedger',
        reason: `no SQLite driver works here: ${drivers.map((name, i) => `${name} (${firstLine(failures[i])})`).join(', ')}`,
        fix: 'npm install libsql (needs no compiler), or better-sqlite3, or run Node 22.13 or newer, which has its own',
      },
    ],
    { cause: new AggregateError(failures) },
  );
}

/** better-sqlite3 and libsql are the class, node:sqlite has it. */
function databaseClass(loaded: unknown): OpenDatabase {
  const module = loaded as OpenDatabase & { readonly DatabaseSync?: OpenDatabase };
  return module.DatabaseSync ?? module;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}
