import type { Effect } from '@holdfast/effect-ledger';
import type { AnyToolEntry } from '@holdfast/tool-registry';
import { parseArguments } from '../arguments/parse.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A value as bytes of JSON; empty where it has no such form. */
export function freeze(value: unknown): Uint8Array {
  try {
    return encoder.encode(JSON.stringify(value) ?? '');
  } catch {
    return new Uint8Array();
  }
}

/** What {@link freeze} was given. */
export function thaw(bytes: Uint8Array | undefined): unknown {
  return bytes === undefined || bytes.length === 0 ? undefined : JSON.parse(decoder.decode(bytes));
}

/** The arguments that an effect was, or was to be, sent with. Undefined once it is settled. */
export async function sentArguments(
  effect: Effect,
  entry: AnyToolEntry,
): Promise<{ readonly args: unknown; readonly input: unknown } | undefined> {
  const frozen = thaw(effect.frozenArgs);
  if (frozen === undefined) return undefined;
  const parsed = await parseArguments(entry.modelInput, frozen, entry.exactArguments);
  return parsed.ok ? { args: parsed.args, input: parsed.input } : undefined;
}
