import type { AnyToolEntry } from './tool-entry.js';

const brand = Symbol.for('holdfast.tool-entry');

/** Marks an entry as made by `defineTool`, so that it is recognized by any copy of this package, and freezes it. */
export function brandEntry(entry: AnyToolEntry): AnyToolEntry {
  return Object.freeze(Object.defineProperty(entry, brand, { value: true }));
}

/** Whether a value was made by `defineTool`. */
export function isToolEntry(value: unknown): value is AnyToolEntry {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}
