/** Header fields as the common clients hold them: `Headers`, lists of pairs, or a plain object. */
export type HeaderSource = Iterable<unknown> | Readonly<Record<string, unknown>>;

/** Fields by lower-case name. A field that came several times keeps each of its values. */
export type HeaderFields = ReadonlyMap<string, readonly string[]>;

export function headerFields(source: HeaderSource): HeaderFields {
  const fields = new Map<string, readonly string[]>();
  const pairs: Iterable<unknown> = isIterable(source) ? source : Object.entries(source);
  for (const pair of pairs) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') continue;
    const values = [pair[1]].flat().filter(isText).map(String);
    const name = pair[0].toLowerCase();
    fields.set(name, [...(fields.get(name) ?? []), ...values.map((value) => value.trim())]);
  }
  return fields;
}

function isIterable(source: HeaderSource): source is Iterable<unknown> {
  return Symbol.iterator in source && typeof source[Symbol.iterator] === 'function';
}

function isText(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
