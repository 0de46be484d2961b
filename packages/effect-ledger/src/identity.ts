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
  const { identity, volatile, trim, foldCase, nfc } = recipe;
  const kept = Object.entries(args)
    .filter(([name]) => (identity?.includes(name) ?? true) && !volatile.includes(name))
    .map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      let text = value;
      if (trim.includes(name)) text = text.trim();
      if (foldCase.includes(name)) text = text.toLowerCase();
      // Last, because the others may leave what they give decomposed.
      if (nfc.includes(name)) text = text.normalize('NFC');
      return [name, text];
    });
  return canonicalJson(Object.fromEntries(kept));
}
