/**
 * The words that stand where something of a result was left out. A model that copies them back into a
 * write would write them instead of what they stand for, so they can be recognized.
 */
const WORDS = 'holdfast left out';

/** What is left out, and of how much. `from`: where it began, for whoever can ask for it. */
export function leftOut(
  count: number,
  of: number,
  what: 'characters' | 'items' | 'fields',
  from?: number,
): string {
  return `[${WORDS} ${count} of ${of} ${what}${from === undefined ? '' : `, from ${from} on`}]`;
}

/** Something that is left out as a whole. */
export function leftOutWhole(what: string): string {
  return `[${WORDS} ${what}]`;
}

/** The name under which an object says what of it was left out. */
export const LEFT_OUT_FIELD = '[holdfast]';

/**
 * Where in a value our own words stand: as a path, undefined if nowhere. Looks at texts and at the names of
 * fields.
 */
export function placeOfLeftOut(
  value: unknown,
  seen = new Set<object>(),
): readonly string[] | undefined {
  if (typeof value === 'string') return value.includes(`[${WORDS} `) ? [] : undefined;
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined;
  seen.add(value);
  for (const [name, inner] of Object.entries(value)) {
    if (name === LEFT_OUT_FIELD) return [name];
    const place = placeOfLeftOut(inner, seen);
    if (place !== undefined) return [name, ...place];
  }
  return undefined;
}
