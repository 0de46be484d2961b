import type { WorkEffect } from '@holdfast/call-guard';
import type { StoredResult } from '@holdfast/effect-ledger';
import { isRecord } from '../message/message.js';
import { type EffectSeen, type Handled, wordsOf } from './served-effect.js';

const TYPE = 'mcp-served';

/** How a call ended, and what it did. */
export type Ended = Handled & { readonly effect: EffectSeen };

/** What the ledger is to know of it. */
export function workEffectOf(ended: Ended): WorkEffect {
  return ended.effect === 'done'
    ? { effect: 'done', stored: { type: TYPE, bytes: bytesOf(ended) } }
    : { effect: ended.effect, why: wordsOf(ended) };
}

/** What a call that was done was answered with; undefined where it cannot be read. */
export function keptAnswer(stored: Extract<StoredResult, { kept: true }>): Ended | undefined {
  if (stored.type !== TYPE) return undefined;
  const kept: unknown = JSON.parse(new TextDecoder().decode(stored.bytes));
  if (!isRecord(kept)) return undefined;
  if (!isRecord(kept.error)) return { result: kept.result, effect: 'done' };
  const { message, ...rest } = kept.error;
  return { error: Object.assign(new Error(String(message)), rest), effect: 'done' };
}

function bytesOf(ended: Ended): Uint8Array {
  const kept = 'error' in ended ? { error: printable(ended.error) } : { result: ended.result };
  return new TextEncoder().encode(JSON.stringify(kept));
}

function printable(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    ...('data' in error ? { data: error.data } : {}),
  };
}
