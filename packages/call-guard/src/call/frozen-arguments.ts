import type { Effect } from '@holdfast/effect-ledger';
import type { AnyToolEntry } from '@holdfast/tool-registry';
import { parseArguments } from '../arguments/parse.js';
import type { Validated } from './call.js';

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

/** The arguments of a call as they are sent. */
export function frozenInput({ host, input }: Pick<Validated, 'host' | 'input'>): Uint8Array {
  return host.inputText === undefined ? freeze(input) : encoder.encode(host.inputText(input));
}

/** What {@link freeze} was given. */
export function thaw(bytes: Uint8Array | undefined): unknown {
  const text = frozenText(bytes);
  return text === undefined ? undefined : JSON.parse(text);
}

/** As it was frozen; undefined where there is nothing. */
export function frozenText(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined || bytes.length === 0 ? undefined : decoder.decode(bytes);
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
