import { LedgerError } from '../ledger-error.js';

/*
 * Values as columns. Two strings that JavaScript tells apart must stay apart: SQLite's text is UTF-8,
 * which has no half surrogates, and libsql cuts it at a NUL.
 */

export type Row = Readonly<Record<string, unknown>>;

/** Control characters, surrogates (a half one, perhaps), and what an escaped text is made of. */
const notPlain = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Ordinary text as it is; anything else in JSON's escapes. */
export function toText(text: string): string {
  return notPlain.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/**
 * A text as `JSON.stringify` writes it. Columns that every effect writes are put together from these: that
 * takes half of the time.
 */
export function quoted(text: string): string {
  return `"${toText(text)}"`;
}

/**
 * A member of an object as `JSON.stringify` writes it. What has no form in JSON, such as the NaN of a broken
 * clock, is refused: nobody could read the row any more.
 */
export function member(name: string, value: number | boolean): string {
  if (typeof value === 'boolean' || Number.isFinite(value)) return `"${name}":${value}`;
  throw new LedgerError(
    'failed',
    `The ledger was given ${value} as ${name}, which is no finite number: give a finite one (times are the milliseconds of a clock). Nothing was written.`,
  );
}

export function toOptionalText(text: string | undefined): string | null {
  return text === undefined ? null : toText(text);
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw unexpected(column, value);
  return value.includes('\\') ? String(JSON.parse(`"${value}"`)) : value;
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw unexpected(column, value);
  return value;
}

export function optionalInteger(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column);
}

/** What {@link JSON.stringify} wrote; only this store writes here. */
export function json<T>(row: Row, column: string): T {
  const value = row[column];
  if (typeof value !== 'string') throw unexpected(column, value);
  return JSON.parse(value) as T;
}

/** What one {@link JSON.stringify} after the other wrote, each on a line. */
export function jsonLines<T>(row: Row, column: string): readonly T[] {
  const value = row[column];
  if (typeof value !== 'string') throw unexpected(column, value);
  const lines = value.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}

/** The drivers give a Buffer, a Uint8Array or, libsql's `all`, an ArrayBuffer. */
export function optionalBytes(row: Row, column: string): Uint8Array | undefined {
  const value = row[column];
  if (value === null) return undefined;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  throw unexpected(column, value);
}

export function bytes(row: Row, column: string): Uint8Array {
  const value = optionalBytes(row, column);
  if (value === undefined) throw unexpected(column, value);
  return value;
}

function unexpected(column: string, value: unknown): LedgerError {
  const found = value === null ? 'null' : typeof value;
  return new LedgerError(
    'corrupt',
    `The ledger's column ${column} holds a value of type ${found}.`,
  );
}
