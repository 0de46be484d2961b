export type { SqliteDatabase } from './sqlite-database.js';
export { type SqliteLedgerOptions, sqliteLedger } from './sqlite-ledger.js';
