import type { Soon } from '../soon.js';
import type { ArgumentRules } from './argument-rules.js';
import { NO_REPAIRS, type Parsed, repairUntilValid } from './repair-until-valid.js';

/** Nothing is too exact to be repaired where no entry says so. */
const NONE_EXACT: ReadonlySet<string> = new Set();

/** Holds arguments against the tool's own rules, with the same repairs as by an entry's schema. */
export function checkArguments(rules: ArgumentRules, given: unknown): Soon<Parsed> {
  const input = given ?? {};
  const issues = rules.check(input);
  if (issues.length === 0) return { ok: true, args: input, input, repairs: NO_REPAIRS };
  const names = { exact: NONE_EXACT, known: rules.names };
  return repairUntilValid(input, issues, names, (repaired) => {
    const left = rules.check(repaired);
    return left.length === 0 ? { args: repaired } : { issues: left };
  });
}
