import { sha256 } from '@holdfast/tool-registry';
import type { Declaration, EffectKey } from './effect.js';

/** Changes only if keys of before must not match keys of after. */
const KEY_FORMAT = 'holdfast-key-1';

const STEP_FORMAT = 'holdfast-step-1';

/** What a wish consists of. */
export type WishParts = Pick<
  Declaration,
  'tenant' | 'intentId' | 'scope' | 'tool' | 'identity' | 'keyGiven' | 'ordinal'
>;

/**
 * The idempotency key: SHA-256 in hex over length-prefixed fields, so that no two lists of fields run
 * together (`a|b` + `c` is not `a` + `b|c`). A business-scoped wish has no intent in its key.
 */
export function effectKey(parts: WishParts & { readonly generation: number }): EffectKey {
  return lengthPrefixed([
    KEY_FORMAT,
    parts.tenant,
    parts.scope,
    parts.scope === 'intent' ? parts.intentId : '',
    parts.tool,
    parts.keyGiven ? 'given' : 'arguments',
    parts.identity,
    String(parts.ordinal),
    String(parts.generation),
  ]) as EffectKey;
}

/**
 * The key of a step inside a tool: the same each time the same call is entered, and another one under
 * another generation of it.
 *
 * @param name unique within the parent
 */
export function stepKey(parent: EffectKey, name: string): EffectKey {
  return lengthPrefixed([STEP_FORMAT, parent, name]) as EffectKey;
}

/** Digest by which equal wishes are found across intents: tool and identity alone. */
export function wishDigest(parts: Pick<WishParts, 'tool' | 'identity' | 'keyGiven'>): string {
  return lengthPrefixed([parts.tool, parts.keyGiven ? 'given' : 'arguments', parts.identity]);
}

function lengthPrefixed(fields: readonly string[]): string {
  let text = '';
  for (const field of fields) text += `${bytesIn(field)}:${field}`;
  return sha256(text);
}

/** As long as this, in characters, a text is looked at here: to ask Node takes longer. */
const SHORT = 32;

/** How long a text is in UTF-8. */
function bytesIn(text: string): number {
  if (text.length > SHORT) return Buffer.byteLength(text);
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > 0x7f) return Buffer.byteLength(text);
  }
  return text.length;
}
