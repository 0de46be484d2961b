import type { ArgumentProblem } from '../failure.js';
import type { Soon } from '../soon.js';
import type { ArgumentIssue } from './argument-rules.js';
import { type RepairNames, repairOnce } from './repairs.js';

/** How often a repair may reveal another problem before it counts as hopeless. */
const MOST_ROUNDS = 4;

export const NO_REPAIRS: readonly string[] = [];

/** What became of arguments: what the schema makes of them, and as they came but for the repairs. */
export type Parsed =
  | {
      readonly ok: true;
      readonly args: unknown;
      readonly input: unknown;
      readonly repairs: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly ArgumentProblem[] };

/** What a schema says of arguments. */
export type Checked = { readonly args: unknown } | { readonly issues: readonly ArgumentIssue[] };

/**
 * Lossless repairs, until the schema takes the arguments. If they never get there, the problems of the
 * arguments as they came are reported.
 */
export async function repairUntilValid(
  given: unknown,
  found: readonly ArgumentIssue[],
  names: RepairNames,
  check: (input: unknown) => Soon<Checked>,
): Promise<Parsed> {
  const repairs: string[] = [];
  let input = given;
  let issues = found;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const repaired = repairOnce(input, issues, names);
    if (repaired === undefined) break;
    input = repaired.input;
    repairs.push(...repaired.repairs);
    const checked = await check(input);
    if ('args' in checked) return { ok: true, args: checked.args, input, repairs };
    issues = checked.issues;
  }
  return { ok: false, problems: found.map(({ path, message }) => ({ path, message })) };
}
