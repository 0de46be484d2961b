/** What the docs say about one tool, before it has a form. */
import { inputJsonSchema, type JsonSchema } from '../readable-schema.js';
import type { AnyToolEntry } from '../tool-entry.js';
import {
  againText,
  ambiguousFailure,
  durationOfCalls,
  failureNotes,
  harmlessFailure,
  isAmbiguous,
  undoText,
} from './behavior.js';
import { schemaText } from './schema-text.js';

export interface ArgumentDoc {
  readonly name: string;
  /** What it takes: `string, at most 200 characters`. */
  readonly takes: string;
  readonly required: boolean;
  readonly description?: string;
  /** The default as JSON. */
  readonly default?: string;
}

export interface ExampleDoc {
  /** The arguments as JSON. */
  readonly call: string;
  readonly note?: string;
}

export interface ToolDoc {
  readonly name: string;
  readonly summary: string;
  readonly useWhen?: string;
  readonly avoidWhen?: string;
  /** Each argument, or what the input takes as a whole where it does not list its arguments. */
  readonly arguments: readonly ArgumentDoc[] | string;
  readonly again: string;
  /** How failures look in general, the same for all reads and for all writes. */
  readonly failure: string;
  readonly failureNotes: readonly string[];
  readonly undo?: string;
  readonly duration?: string;
  readonly examples: readonly ExampleDoc[];
}

/** On one line, as lists and prompts want it. */
const line = (text: string) => text.replace(/\s+/g, ' ').trim();

function argumentDocs(schema: JsonSchema): readonly ArgumentDoc[] | string {
  const { properties, required = [], additionalProperties, $defs = {} } = schema;
  const listed = properties !== undefined && (additionalProperties ?? false) === false;
  if (schema.type !== 'object' || !listed) return schemaText(schema, $defs);
  return Object.entries(properties).map(([name, part]) => {
    const { description, default: fallback } = typeof part === 'object' ? part : {};
    return {
      name,
      takes: schemaText(part, $defs),
      required: required.includes(name),
      ...(description !== undefined && { description: line(description) }),
      ...(fallback !== undefined && { default: JSON.stringify(fallback) }),
    };
  });
}

/** JSON knows no bigint; its digits are what a model would send. */
const asJson = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  ) ?? 'undefined';

/** What the docs say about a tool. The same entry gives the same texts in every process. */
export function toolDoc(entry: AnyToolEntry): ToolDoc {
  const { name, summary, useWhen, avoidWhen, examples } = entry;
  const undo = undoText(entry);
  const duration = durationOfCalls(entry);
  return {
    name,
    summary: line(summary),
    ...(useWhen !== undefined && { useWhen: line(useWhen) }),
    ...(avoidWhen !== undefined && { avoidWhen: line(avoidWhen) }),
    arguments: argumentDocs(inputJsonSchema(entry)),
    again: againText(entry),
    failure: isAmbiguous(entry) ? ambiguousFailure : harmlessFailure,
    failureNotes: failureNotes(entry),
    ...(undo !== undefined && { undo }),
    ...(duration !== undefined && { duration }),
    examples: examples.map(({ args, note }) => ({
      call: asJson(args),
      ...(note !== undefined && { note: line(note) }),
    })),
  };
}
