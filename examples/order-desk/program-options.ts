import { parseArgs } from 'node:util';
import { z } from 'zod';

/**
 * Reads `--name value` options of a program, each of which is required.
 *
 * @example programOptions(['db']).db
 * @throws when an option is missing or unknown; the error names it.
 */
export function programOptions<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  });
  return z.record(z.enum(names), z.string()).parse(values);
}
