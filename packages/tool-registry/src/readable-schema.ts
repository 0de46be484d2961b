/** Inputs and outputs as JSON schemas for readers: with descriptions, and short. What is enforced is the zod schema. */
import { z } from 'zod';
import { mayBeMadeAnew } from './made-anew.js';
import type { AnyToolEntry } from './tool-entry.js';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Formats whose pattern zod makes itself: hundreds of letters that say what the format says in one word. */
const timeFormats: readonly unknown[] = ['date-time', 'date', 'time', 'duration'];
const utcOnly = '(?:Z))$';
/** What is left of the pattern of a date-time that takes no offset, which the format alone would allow. */
export const utcPattern = 'Z$';

function shorten(schema: JsonSchema): void {
  const { format, pattern, minimum, maximum } = schema;
  if (timeFormats.includes(format)) {
    if (format === 'date-time' && pattern?.endsWith(utcOnly)) schema.pattern = utcPattern;
    else delete schema.pattern;
  }
  if (format === 'email' && pattern === z.regexes.email.source) delete schema.pattern;
  // An integer is bounded by what a number can hold; nobody chose these bounds.
  if (minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/**
 * By the schema's own copy of zod where it can: with `npx` it may be another one than ours, which does not know its
 * descriptions and formats.
 */
function toJsonSchema(schema: z.ZodType, params: z.core.ToJSONSchemaParams): JsonSchema {
  return typeof schema.toJSONSchema === 'function'
    ? schema.toJSONSchema(params)
    : z.toJSONSchema(schema, params);
}

/**
 * The JSON schema of an input or an output, the same in every process: a default that is made anew each time is left
 * out, as are patterns and bounds that no person wrote.
 */
export function readableSchema(schema: z.ZodType): JsonSchema {
  const { $schema, ...rest } = toJsonSchema(schema, {
    unrepresentable: 'any',
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (mayBeMadeAnew(zodSchema._zod.def)) delete jsonSchema.default;
      if ('description' in zodSchema && typeof zodSchema.description === 'string') {
        jsonSchema.description ??= zodSchema.description;
      }
      shorten(jsonSchema);
    },
  });
  return rest;
}

/** What the model fills in. */
export const inputJsonSchema = ({ modelInput }: Pick<AnyToolEntry, 'modelInput'>): JsonSchema =>
  readableSchema(modelInput);
