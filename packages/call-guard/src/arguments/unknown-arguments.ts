import { nearestNames } from '@holdfast/tool-registry';
import type { z } from 'zod';
import type { ArgumentProblem } from '../failure.js';
import { isRecord } from '../record.js';

/**
 * Arguments that the schema does not know and would drop without a word. For a tool with effects a
 * misspelled option must not become a default.
 */
export function unknownArguments(
  schema: z.ZodType,
  value: unknown,
  path: readonly PropertyKey[] = [],
): readonly ArgumentProblem[] {
  const { def } = (schema as z.core.$ZodType as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return ofObject(def, value, path);
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((item, index) =>
            unknownArguments(def.element as z.ZodType, item, [...path, index]),
          )
        : [];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return unknownArguments(def.innerType as z.ZodType, value, path);
    case 'pipe':
      return unknownArguments(def.in as z.ZodType, value, path);
    case 'lazy':
      return unknownArguments(def.getter() as z.ZodType, value, path);
    case 'record':
      return Object.entries(isRecord(value) ? value : {}).flatMap(([name, inner]) =>
        unknownArguments(def.valueType as z.ZodType, inner, [...path, name]),
      );
    case 'union':
      return ofUnion(def.options as readonly z.ZodType[], value, path);
    default:
      return [];
  }
}

/** What is said of an argument that is none of the known ones. */
export function unknownArgument(name: string, known: readonly string[]): string {
  const nearest = nearestNames(name, known)[0] ?? containing(name, known);
  return `unknown argument${nearest === undefined ? '' : `; did you mean '${nearest}'?`}`;
}

/** `maxDepth` for `depth`: far apart by spelling, and yet what was meant. */
function containing(name: string, known: readonly string[]): string | undefined {
  const part = name.toLowerCase();
  return part.length < 3 ? undefined : known.find((other) => other.toLowerCase().includes(part));
}

/** The alternative that knows most of the value is the one that was meant. */
function ofUnion(
  options: readonly z.ZodType[],
  value: unknown,
  path: readonly PropertyKey[],
): readonly ArgumentProblem[] {
  const [best] = options
    .filter((option) => accepts(option, value))
    .map((option) => unknownArguments(option, value, path))
    .sort((a, b) => a.length - b.length);
  return best ?? [];
}

function accepts(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success;
  } catch {
    // Asynchronous refinements: it cannot be told here.
    return false;
  }
}

function ofObject(
  def: z.core.$ZodObjectDef,
  value: unknown,
  path: readonly PropertyKey[],
): readonly ArgumentProblem[] {
  if (!isRecord(value)) return [];
  const known = Object.keys(def.shape);
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name];
    if (Object.hasOwn(def.shape, name)) {
      return unknownArguments(def.shape[name] as z.ZodType, inner, at);
    }
    // A schema with a catch-all keeps or refuses unknown arguments by itself.
    if (def.catchall !== undefined) return [];
    return [{ path: at, message: unknownArgument(name, known) }];
  });
}
