import { type ErrorView, numberAt, textAt } from './error-view.js';
import {
  badCredentials,
  busy,
  failedThere,
  limited,
  lost,
  type Meaning,
  notAllowed,
  type Reading,
  refused,
  unable,
  unsent,
} from './reading.js';

/** Refused before anything, and it passes: no connection is free, the server starts or is locked. */
const full = { kind: 'overloaded', did: 'nothing' } as const satisfies Meaning;

/**
 * SQLSTATE (ISO 9075; Postgres appendix A), the longest beginning first. A statement that fails undoes its
 * transaction, so most leave nothing; what breaks around the commit leaves it open.
 */
const bySqlState: readonly (readonly [beginning: string, meaning: Meaning])[] = [
  ['08001', unsent],
  ['08003', unsent],
  ['08004', unsent],
  ['08', lost],
  ['22', refused],
  ['23', refused],
  ['25', unable],
  ['28', badCredentials],
  // The statement may have been completed.
  ['40003', lost],
  ['40', busy],
  ['42501', notAllowed],
  ['42', refused],
  ['44', refused],
  ['53300', full],
  ['53', unable],
  ['54', refused],
  ['55P03', busy],
  ['55', unable],
  ['57014', unable],
  ['57P03', full],
  ['57P', lost],
  ['P0', refused],
];

/** MySQL and MariaDB by number, where the SQLSTATE says too little. */
const byMySqlNumber: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [1040, full],
  [1203, full],
  [1226, limited],
  [1044, notAllowed],
  [1045, badCredentials],
  [1142, notAllowed],
  [1143, notAllowed],
  [1205, busy],
  [1213, busy],
  [1290, unable],
  [1317, unable],
  [3024, unable],
  [2002, unsent],
  [2003, unsent],
  [2006, lost],
  [2013, lost],
]);

/** SQLite's primary result codes; extended ones begin with them. */
const bySqlite: readonly (readonly [name: string, number: number, meaning: Meaning])[] = [
  ['SQLITE_BUSY', 5, busy],
  ['SQLITE_LOCKED', 6, busy],
  ['SQLITE_NOMEM', 7, unable],
  ['SQLITE_READONLY', 8, unable],
  ['SQLITE_INTERRUPT', 9, unable],
  ['SQLITE_FULL', 13, unable],
  ['SQLITE_CANTOPEN', 14, unable],
  ['SQLITE_TOOBIG', 18, refused],
  ['SQLITE_CONSTRAINT', 19, refused],
  ['SQLITE_MISMATCH', 20, refused],
  ['SQLITE_AUTH', 23, notAllowed],
  ['SQLITE_NOTADB', 26, unable],
  // An error of the disk while writing, a database that is damaged, and the like.
  ['SQLITE_', 0, failedThere],
];

const byDriverCode: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['PROTOCOL_CONNECTION_LOST', lost],
  ['PROTOCOL_SEQUENCE_TIMEOUT', lost],
  // Prisma
  ['P1000', badCredentials],
  ['P1001', unsent],
  ['P1017', lost],
  ['P2002', refused],
  ['P2003', refused],
  ['P2025', refused],
  ['P2024', full],
  ['P2034', busy],
]);

/** An error of a database driver: pg, postgres, mysql2, better-sqlite3, node:sqlite, Prisma. */
export function readSql(view: ErrorView): Reading | undefined {
  const { error, message } = view;
  const code = String(view.code ?? '');
  const meaning =
    sqliteMeaning(error, code) ??
    mySqlMeaning(error, code) ??
    sqlStateMeaning(view, code) ??
    (isOfPrisma(view) || code.startsWith('PROTOCOL_') ? byDriverCode.get(code) : undefined);
  return meaning === undefined ? undefined : { meaning, code, message };
}

function sqliteMeaning(error: object, code: string): Meaning | undefined {
  const primary = (numberAt(error, 'errcode') ?? -1) % 256;
  const found = bySqlite.find(([name, number]) =>
    code === 'ERR_SQLITE_ERROR' ? number === primary : code.startsWith(name),
  );
  return found?.[2] ?? (code === 'ERR_SQLITE_ERROR' ? failedThere : undefined);
}

function mySqlMeaning(error: object, code: string): Meaning | undefined {
  if (!code.startsWith('ER_') && !code.startsWith('CR_')) return undefined;
  const number = byMySqlNumber.get(numberAt(error, 'errno') ?? 0);
  return number ?? byBeginning(textAt(error, 'sqlState') ?? '') ?? failedThere;
}

/** Five signs are many things: a driver says more of itself. */
function sqlStateMeaning({ error, name, className }: ErrorView, code: string): Meaning | undefined {
  const isDriver =
    textAt(error, 'severity') !== undefined ||
    textAt(error, 'sqlState') !== undefined ||
    name === 'PostgresError' ||
    className === 'DatabaseError';
  const state = textAt(error, 'sqlState') ?? code;
  if (!isDriver || !/^[0-9A-Z]{5}$/.test(state)) return undefined;
  return byBeginning(state) ?? failedThere;
}

function byBeginning(state: string): Meaning | undefined {
  return bySqlState.find(([beginning]) => state.startsWith(beginning))?.[1];
}

function isOfPrisma({ name, className }: ErrorView): boolean {
  return [name, className].some((word) => word.startsWith('PrismaClient'));
}
