import type { StoredResult } from '@holdfast/effect-ledger';
import { canonicalJson, sha256 } from '@holdfast/tool-registry';
import { thaw } from './frozen-arguments.js';
import type { ResultCodec } from './host.js';

/** What the ledger keeps of one result, in bytes. */
const MOST_BYTES = 65_536;

/** Results as canonical JSON: what a plain caller's functions return. */
export const jsonCodec: ResultCodec = {
  encode: async (result) => ({
    type: 'json',
    bytes: new TextEncoder().encode(
      result === undefined ? '' : canonicalJson(withoutUndefined(result)),
    ),
  }),
  decode: async ({ bytes }) => thaw(bytes),
};

/** A property that is undefined says no more than one that is not there. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, withoutUndefined(inner)]),
  );
}

/** A result as the ledger keeps it, or why it cannot. */
export async function storeResult(result: unknown, codec: ResultCodec): Promise<StoredResult> {
  try {
    const { type, bytes } = await codec.encode(result);
    const digest = sha256(bytes);
    return bytes.byteLength <= MOST_BYTES
      ? { kept: true, type, bytes, digest }
      : {
          kept: false,
          reason: `the result has ${bytes.byteLength} bytes, over the ${MOST_BYTES} that are kept`,
          digest,
        };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kept: false, reason: `the result has no stored form: ${why}` };
  }
}
