import type { z } from 'zod';
import type { ArgumentProblem } from '../failure.js';
import type { Soon } from '../soon.js';
import type { ArgumentIssue } from './argument-rules.js';
import { type Checked, NO_REPAIRS, type Parsed, repairUntilValid } from './repair-until-valid.js';

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
  const strict = checkedOf(await parsed);
  if ('args' in strict) {
    return { ok: true, args: strict.args, input: given, repairs: NO_REPAIRS };
  }
  return repairUntilValid(given, strict.issues, { exact, known: namesOf(schema) }, async (input) =>
    checkedOf(await safeParse(schema, input)),
  );
}

function checkedOf(parsed: Attempt): Checked {
  // Nothing is known about it that a repair could go by.
  if ('thrown' in parsed) {
    return { issues: [{ ...parsed.thrown, expected: [], refusesNull: false }] };
  }
  return parsed.success ? { args: parsed.data } : { issues: parsed.error.issues.map(issueOf) };
}

function issueOf(issue: z.core.$ZodIssue): ArgumentIssue {
  const { code, path, message } = issue;
  return {
    path,
    message,
    expected: code === 'invalid_type' ? [issue.expected] : [],
    refusesNull: code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union',
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
