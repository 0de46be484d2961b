import type { z } from 'zod';
import type { ArgumentProblem } from '../failure.js';
import type { Soon } from '../soon.js';
import { repairOnce } from './repairs.js';

/** How often a repair may reveal another problem before it counts as hopeless. */
const MOST_ROUNDS = 4;
const NO_REPAIRS: readonly string[] = [];

export type Parsed =
  | {
      readonly ok: true;
      readonly args: unknown;
      readonly input: unknown;
      readonly repairs: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly ArgumentProblem[] };

/**
 * Parses arguments by their schema. Only where the strict parse fails are lossless repairs tried; if
 * they do not make the arguments valid, the problems of the arguments as they came are reported.
 *
 * @param exact top-level arguments that are never repaired
 */
export function parseArguments(
  schema: z.ZodType,
  given: unknown,
  exact: ReadonlySet<string>,
): Soon<Parsed> {
  // A model that has nothing to say about the arguments sends null or nothing.
  const input = given ?? {};
  const strict = safeParse(schema, input);
  return isParsed(strict)
    ? { ok: true, args: strict.data, input, repairs: NO_REPAIRS }
    : parseFlawed(schema, input, strict, exact);
}

type Attempt = z.ZodSafeParseResult<unknown> | { readonly thrown: ArgumentProblem };

function isParsed(parsed: Soon<Attempt>): parsed is Extract<Attempt, { readonly success: true }> {
  return 'success' in parsed && parsed.success;
}

async function parseFlawed(
  schema: z.ZodType,
  given: unknown,
  parsed: Soon<Attempt>,
  exact: ReadonlySet<string>,
): Promise<Parsed> {
  const strict = await parsed;
  if ('thrown' in strict) return { ok: false, problems: [strict.thrown] };
  if (strict.success) return { ok: true, args: strict.data, input: given, repairs: NO_REPAIRS };
  const repairs: string[] = [];
  let input = given;
  let issues = strict.error.issues;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const repaired = repairOnce(input, issues, { exact, known: namesOf(schema) });
    if (repaired === undefined) break;
    input = repaired.input;
    repairs.push(...repaired.repairs);
    const parsed = await safeParse(schema, input);
    if ('thrown' in parsed) break;
    if (parsed.success) return { ok: true, args: parsed.data, input, repairs };
    issues = parsed.error.issues;
  }
  return {
    ok: false,
    problems: strict.error.issues.map(({ path, message }) => ({ path, message })),
  };
}

/**
 * Schemas with asynchronous refinements throw when they are parsed synchronously; most have none. A
 * transform of the tool's own that throws has refused the arguments.
 */
function safeParse(schema: z.ZodType, value: unknown): Soon<Attempt> {
  try {
    return schema.safeParse(value);
  } catch {
    return safeParseAsync(schema, value);
  }
}

async function safeParseAsync(schema: z.ZodType, value: unknown): Promise<Attempt> {
  try {
    return await schema.safeParseAsync(value);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { thrown: { path: [], message } };
  }
}

/** The arguments that a schema names at its top; none where it is not a plain object. */
function namesOf(schema: z.ZodType): ReadonlySet<string> {
  const { def } = (schema as z.core.$ZodType as z.core.$ZodTypes)._zod;
  return new Set(def.type === 'object' ? Object.keys(def.shape) : []);
}
