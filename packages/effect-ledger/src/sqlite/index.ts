export type { SqliteDatabase, SqliteStatement, SqlValue } from './sqlite-database.js';
export { type SqliteLedgerOptions, sqliteLedger } from './sqlite-ledger.js';
