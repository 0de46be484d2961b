import { SetupError, type SetupProblem } from '@holdfast/tool-registry';
import { locales } from './failure-texts/user.js';

/** What a value must have to be taken for what it should be; programs in JavaScript have no types to tell. */
const required = [
  { field: 'registry', has: 'tools', fix: 'give what defineRegistry returns' },
  {
    field: 'ledger',
    has: 'claim',
    fix: "give a ledger: sqliteLedger('agent.db') or memoryLedger()",
  },
] as const;

/** Options that are one of a few words. */
const words = {
  locale: locales,
  offAfterOpen: ['run', 'until-probe'],
  probesInLongWaits: ['at-reset', 'doubling'],
} as const satisfies Record<string, readonly string[]>;

/** @throws SetupError `option_out_of_range`, naming every option that cannot be what it should be. */
export function checkOptions(options: unknown): void {
  const given: Readonly<Record<string, unknown>> = isRecord(options) ? options : {};
  const problems: SetupProblem[] = required.flatMap(({ field, has, fix }) => {
    const value = given[field];
    if (isRecord(value) && has in value) return [];
    const reason = value === undefined ? 'it is missing' : `${describe(value)} is not one`;
    return [{ field, reason, fix }];
  });
  if (given.tenant !== undefined && (typeof given.tenant !== 'string' || given.tenant === '')) {
    problems.push({
      field: 'tenant',
      reason: `${describe(given.tenant)} is no name`,
      fix: 'give a text',
    });
  }
  if (given.events !== undefined && !Array.isArray(given.events)) {
    problems.push({ field: 'events', reason: 'it is not a list', fix: 'give a list of sinks' });
  }
  if (given.refreshAuth !== undefined && typeof given.refreshAuth !== 'function') {
    problems.push({
      field: 'refreshAuth',
      reason: `${describe(given.refreshAuth)} is no function`,
      fix: 'give a function that renews the credentials, or leave it out',
    });
  }
  for (const name of ['onProgress', 'random', 'newId'] as const) {
    if (given[name] !== undefined && typeof given[name] !== 'function') {
      problems.push({
        field: name,
        reason: `${describe(given[name])} is no function`,
        fix: 'give a function',
      });
    }
  }
  for (const [field, known] of Object.entries<readonly string[]>(words)) {
    const value = given[field];
    if (value === undefined || (typeof value === 'string' && known.includes(value))) continue;
    problems.push({
      field,
      reason: `${describe(value)} is none of them`,
      fix: `give one of ${known.join(', ')}`,
    });
  }
  const [first, ...others] = problems;
  if (first !== undefined) throw new SetupError('option_out_of_range', [first, ...others]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : typeof value;
}
