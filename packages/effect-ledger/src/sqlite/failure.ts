import { SetupError, type SetupErrorCode } from '@holdfast/tool-registry';
import { isLedgerError, LedgerError } from '../ledger-error.js';

type FailureCode = LedgerError['code'];

/**
 * What a driver's error means. better-sqlite3 and libsql name SQLite's code (`SQLITE_IOERR_WRITE`);
 * node:sqlite gives its number. https://sqlite.org/rescode.html
 */
export function failureCode(error: unknown): FailureCode {
  if (typeof error !== 'object' || error === null) return 'failed';
  const { code, errcode, message } = error as {
    readonly code?: unknown;
    readonly errcode?: unknown;
    readonly message?: unknown;
  };
  // A column that holds no JSON although only JSON is written to it.
  if (error instanceof SyntaxError) return 'corrupt';
  if (code === 'ERR_INVALID_STATE' || /\bnot open\b/.test(String(message))) return 'closed';
  if (/^(no such (table|column)|table \S+ has no column)\b/.test(String(message))) return 'newer';
  const named = typeof code === 'string' ? /^SQLITE_[A-Z]+/.exec(code)?.[0] : undefined;
  return (
    (named === undefined ? undefined : byName.get(named)) ??
    (typeof errcode === 'number' ? byNumber.get(errcode & 0xff) : undefined) ??
    'failed'
  );
}

const byName: ReadonlyMap<string, FailureCode> = new Map([
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_NOTADB', 'corrupt'],
]);
const byNumber: ReadonlyMap<number, FailureCode> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'read_only'],
  [11, 'corrupt'],
  [13, 'full'],
  [26, 'corrupt'],
]);

const meaning: Record<FailureCode, string> = {
  full: 'there is no room left; free some on its disk',
  read_only: 'it may only be read; make file and folder writable',
  busy: 'another program kept it locked; give each ledger its own file and end what holds it',
  corrupt: 'its file is damaged; restore it, and treat all open effects as unknown',
  newer:
    'a later version of @holdfast/effect-ledger has changed its file; restart with that version',
  closed: 'it was closed before this',
  failed: 'its database refused',
};

/** Any error of the store as it leaves the store. */
export function ledgerError(error: unknown, location: string): LedgerError {
  if (isLedgerError(error)) return error;
  const code = failureCode(error);
  const detail = error instanceof Error ? ` (${error.message})` : '';
  return new LedgerError(
    code,
    `The ledger ${location} could not do it: ${meaning[code]}${detail}. Nothing was written.`,
    { cause: error },
  );
}

const whenOpening: Record<
  FailureCode,
  { readonly code: SetupErrorCode; readonly reason: string; readonly fix: string }
> = {
  full: {
    code: 'ledger_full',
    reason: 'there is no room for it',
    fix: 'free space on its disk, or give another file',
  },
  read_only: {
    code: 'ledger_read_only',
    reason: 'it cannot be written',
    fix: 'make the file and its folder writable for this user',
  },
  busy: {
    code: 'ledger_unreadable',
    reason: 'another program keeps it locked',
    fix: 'end that program, or give each ledger its own file',
  },
  corrupt: {
    code: 'ledger_unreadable',
    reason: 'it is no database, or a damaged one',
    fix: 'give another file, or restore this one from a backup',
  },
  newer: {
    code: 'ledger_newer',
    reason: 'a later version has changed it',
    fix: 'update @holdfast/effect-ledger to the version that wrote it',
  },
  closed: {
    code: 'ledger_unreadable',
    reason: 'the given database is closed',
    fix: 'give an open one',
  },
  failed: {
    code: 'ledger_unreadable',
    reason: 'it cannot be opened',
    fix: 'give a file in a folder on a local disk',
  },
};

/** Any error while the store is opened. */
export function openingError(error: unknown, location: string): SetupError {
  if (error instanceof SetupError) return error;
  const { code, reason, fix } = whenOpening[failureCode(error)];
  const detail = error instanceof Error ? ` (${error.message})` : '';
  return setupError(code, location, `${reason}${detail}`, fix, error);
}

export function setupError(
  code: SetupErrorCode,
  location: string,
  reason: string,
  fix: string,
  cause?: unknown,
): SetupError {
  const problem = { field: 'sqliteLedger', reason: `${location}: ${reason}`, fix };
  return new SetupError(code, [problem], cause === undefined ? undefined : { cause });
}
