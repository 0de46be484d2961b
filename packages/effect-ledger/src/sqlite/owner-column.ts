import type { Owner } from '../effect.js';
import { json, type Row } from './columns.js';

/** Who works on a run, as JSON. */
export interface OwnerColumn {
  write(owner: Owner): string;
  read(row: Row, column: string): Owner;
}

/**
 * An owner is written with each effect of its run and read with each claim, so the last one is remembered
 * in both forms.
 */
export function ownerColumn(): OwnerColumn {
  let last: { readonly owner: Owner; readonly text: string } | undefined;
  return {
    write(owner) {
      if (last?.owner !== owner) last = { owner, text: JSON.stringify(owner) };
      return last.text;
    },
    read: (row, column) =>
      last !== undefined && last.text === row[column] ? last.owner : json<Owner>(row, column),
  };
}
