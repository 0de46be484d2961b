/** What the model fills in, as a JSON schema for readers: with descriptions, without what differs from one process to the next. */
import { z } from 'zod';
import { mayBeMadeAnew } from './made-anew.js';
import type { AnyToolEntry } from './tool-entry.js';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The JSON schema of a tool's `modelInput`. */
export function inputJsonSchema(entry: Pick<AnyToolEntry, 'modelInput'>): JsonSchema {
  return readableJsonSchema(entry.modelInput);
}

/** The JSON schema of an input or an output; defaults that are made anew each time are left out. */
export function readableJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (mayBeMadeAnew(zodSchema._zod.def)) delete jsonSchema.default;
    },
  });
  return rest;
}
