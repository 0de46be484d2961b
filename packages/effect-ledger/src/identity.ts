import { canonicalJson } from '@holdfast/tool-registry';

/** Which arguments make two calls the same wish. A registry's key recipe fits. */
export interface IdentityRecipe {
  /** Only these; absent: all of them. */
  readonly identity?: readonly string[] | undefined;
  readonly volatile: readonly string[];
  readonly trim: readonly string[];
  readonly foldCase: readonly string[];
  readonly nfc: readonly string[];
}

/**
 * The canonical text (RFC 8785) of a call's identity arguments. Nothing is left out or made equal that
 * the recipe does not name; `trim`, `foldCase` and `nfc` reach a named argument that is a string, and
 * no string inside one that is not.
 *
 * @param args the arguments after parsing
 * @throws CanonicalJsonError for values that have no JSON form, such as NaN, undefined or a bigint
 * @example
 * identityOf({ to: ' A@B.C', note: 'x' }, { volatile: ['note'], trim: ['to'], foldCase: ['to'], nfc: [] });
 * // '{"to":"a@b.c"}'
 */
export function identityOf(
  args: Readonly<Record<string, unknown>>,
  recipe: IdentityRecipe,
): string {
  const { identity, volatile } = recipe;
  const kept: [string, unknown][] = [];
  // Stryker disable next-line ConditionalExpression: a copy that was not needed has the same text
  let isChanged = Object.getPrototypeOf(args) !== Object.prototype;
  for (const name of Object.keys(args)) {
    if (identity?.includes(name) === false || volatile.includes(name)) {
      isChanged = true;
      continue;
    }
    const value = args[name];
    const named = typeof value === 'string' ? textOf(value, name, recipe) : value;
    // NaN is never itself: it is refused below.
    // Stryker disable next-line ConditionalExpression: as above
    isChanged ||= named !== value;
    kept.push([name, named]);
  }
  // Most recipes change nothing, and then nothing has to be copied.
  return canonicalJson(isChanged ? Object.fromEntries(kept) : args);
}

function textOf(value: string, name: string, { trim, foldCase, nfc }: IdentityRecipe): string {
  let text = value;
  if (trim.includes(name)) text = text.trim();
  if (foldCase.includes(name)) text = text.toLowerCase();
  // Last, because the others may leave what they give decomposed.
  return nfc.includes(name) ? text.normalize('NFC') : text;
}
