import { canonicalJson } from '@holdfast/tool-registry';
import { wishDigest } from '../effect-key.js';
import { identityOf } from '../identity.js';

/** An argument by name, with the values that a text on a command line may mean. */
export interface AskedArgument {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Reads `name=value`. `500` may mean the number or the text, `"500"` the quoted text or the one inside. */
export function askedArgument(text: string): AskedArgument | undefined {
  const at = text.indexOf('=');
  if (at < 1) return undefined;
  const value = text.slice(at + 1);
  const parsed = fromJson(value);
  return { name: text.slice(0, at), values: parsed === undefined ? [value] : [value, parsed] };
}

/** Whether the arguments that a tool was sent hold all of these. */
export function hold(sent: unknown, asked: readonly AskedArgument[]): boolean {
  if (typeof sent !== 'object' || sent === null) return false;
  const named = new Map(Object.entries(sent));
  return asked.every(({ name, values }) => {
    const value = named.get(name);
    return (
      value !== undefined && values.some((wanted) => canonicalJson(wanted) === canonicalJson(value))
    );
  });
}

/**
 * The digests that a wish may have whose identity arguments are exactly these. They outlive the arguments,
 * which are deleted once an effect is settled.
 */
export function possibleWishes(tool: string, asked: readonly AskedArgument[]): readonly string[] {
  const whole = { volatile: [], trim: [], foldCase: [], nfc: [] };
  const readings = asked.reduce<readonly Readonly<Record<string, unknown>>[]>(
    (before, { name, values }) =>
      before.flatMap((args) => values.map((value) => ({ ...args, [name]: value }))),
    [{}],
  );
  return readings.map((args) =>
    wishDigest({ tool, identity: identityOf(args, whole), keyGiven: false }),
  );
}

/** What was frozen when the effect was declared, if it is JSON. */
export function sentArguments(bytes: Uint8Array | undefined): unknown {
  return bytes === undefined ? undefined : fromJson(new TextDecoder().decode(bytes));
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
