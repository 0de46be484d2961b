import type { StoredResult, Transition } from '@holdfast/effect-ledger';
import { sha256 } from '@holdfast/tool-registry';

/** What became of work, as its own code says. */
export type WorkEffect =
  /** `stored`: what an equal request will be given. */
  | {
      readonly effect: 'done';
      readonly stored: { readonly type: string; readonly bytes: Uint8Array };
    }
  /** Certainly nothing was done: the same key may be tried again. */
  | { readonly effect: 'none'; readonly why: string }
  /** Nobody can tell, so it is not done again. */
  | { readonly effect: 'unknown'; readonly why: string };

/** The move that says so in the ledger. */
export function settling(
  end: WorkEffect,
  now: number,
  keepsBytes: number,
): Extract<Transition, { to: 'succeeded' | 'failed' | 'unknown' }> {
  const evidence = { by: 'attempt' } as const;
  switch (end.effect) {
    case 'done': {
      const result = kept(end.stored, keepsBytes);
      return { to: 'succeeded', result, undo: { undo: 'none' }, evidence };
    }
    case 'none':
      return { to: 'failed', failureKind: end.why, evidence };
    case 'unknown':
      return { to: 'unknown', since: now, reason: end.why, evidence };
  }
}

function kept(
  { type, bytes }: Extract<WorkEffect, { effect: 'done' }>['stored'],
  keepsBytes: number,
): StoredResult {
  const digest = sha256(bytes);
  if (bytes.byteLength <= keepsBytes) return { kept: true, type, bytes, digest };
  const reason = `the result has ${bytes.byteLength} bytes, over the ${keepsBytes} that are kept`;
  return { kept: false, reason, digest };
}
