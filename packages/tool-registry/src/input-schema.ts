/** What can be known about a tool's schemas without parsing anything. */
import type { z } from 'zod';

/** Whether a value is a schema of zod 4, of any copy of it. */
export function isZodSchema(value: unknown): value is z.ZodType {
  return (
    typeof value === 'object' &&
    value !== null &&
    '_zod' in value &&
    typeof value._zod === 'object' &&
    'safeParse' in value &&
    typeof value.safeParse === 'function'
  );
}

function isObjectSchema(schema: z.ZodType): schema is z.ZodObject {
  return schema._zod.def.type === 'object';
}

interface Omitting extends z.ZodType {
  omit(mask: Readonly<Record<string, true>>): z.ZodType;
}
function canOmit(schema: z.ZodType): schema is Omitting {
  return 'omit' in schema && typeof schema.omit === 'function';
}
const omit = (schema: z.ZodType, argument: string) =>
  canOmit(schema) ? schema.omit({ [argument]: true }) : undefined;

/** The arguments that an input takes; undefined where they are not a closed list that can be read. */
export function argumentNames(input: z.ZodType): readonly string[] | undefined {
  if (!isObjectSchema(input)) return undefined;
  const { catchall, shape } = input._zod.def;
  if (catchall !== undefined && catchall._zod.def.type !== 'never') return undefined;
  return Object.keys(shape);
}

/** The schema of one argument; undefined where the input is no object schema or has no such argument. */
export function argumentSchema(input: z.ZodType, argument: string): z.ZodType | undefined {
  if (!isObjectSchema(input)) return undefined;
  const { shape } = input._zod.def;
  const schema: unknown = Object.hasOwn(shape, argument) ? shape[argument] : undefined;
  return isZodSchema(schema) ? schema : undefined;
}

/** An input without one of its arguments; undefined if it is no plain object schema (one with refinements is not). */
export function withoutArgument(input: z.ZodType, argument: string): z.ZodType | undefined {
  if (!isObjectSchema(input)) return undefined;
  const refined = (input._zod.def.checks ?? []).length > 0;
  if (refined || !Object.hasOwn(input._zod.def.shape, argument)) return undefined;
  return omit(input, argument);
}
