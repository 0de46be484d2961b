/** Every text of an entry that a person wrote for readers, with the field where it stands. */
import { inputJsonSchema } from './readable-schema.js';
import type { AnyToolEntry } from './tool-entry.js';

export interface ReaderText {
  readonly field: string;
  readonly text: string;
}

/** Values of a schema, not parts of it: a text in them is no description. */
const values = new Set(['default', 'const', 'enum', 'examples']);

function descriptions(schema: unknown, field: string): ReaderText[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, part]: [string, unknown]) => {
    if (name === 'description' && typeof part === 'string') return [{ field, text: part }];
    if (values.has(name)) return [];
    const inside = name === 'properties' ? field : `${field}.${name}`;
    return descriptions(part, inside);
  });
}

/** Summary, hints, notes of examples, the reason why there is no undo, and the descriptions of arguments. */
export function readerTexts(entry: AnyToolEntry): readonly ReaderText[] {
  const { name, summary, useWhen, avoidWhen, examples, compensation } = entry;
  const at = `tools.${name}`;
  const given = {
    [`${at}.summary`]: summary,
    [`${at}.useWhen`]: useWhen,
    [`${at}.avoidWhen`]: avoidWhen,
    ...Object.fromEntries(examples.map(({ note }, i) => [`${at}.examples[${i}].note`, note])),
    [`${at}.compensation.reason`]:
      compensation !== undefined && 'avoidBy' in compensation ? compensation.reason : undefined,
  };
  return [
    ...Object.entries(given).flatMap(([field, text]) =>
      text === undefined ? [] : [{ field, text }],
    ),
    ...descriptions(inputJsonSchema(entry), `${at}.input`),
  ];
}
