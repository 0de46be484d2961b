/** Checking values that may come from plain JavaScript: each function reports what is wrong and never throws. */
import { durationFix, parseDuration } from '../duration.js';
import { nearestNames } from '../nearest-names.js';
import { isRecord } from '../record.js';

/** Notes one problem. `field` is the full path, `tools.send_mail.owner`. */
export type Report = (field: string, reason: string, fix: string) => void;

/** A value as an error shows it: short, on one line, never failing. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  }
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

const list = (values: readonly string[]) => values.map((v) => `'${v}'`).join(' | ');

/** An object with names of the user's own choice. Undefined, and reported, if it is none. */
export function objectOf(
  value: unknown,
  field: string,
  example: string,
  report: Report,
): Readonly<Record<string, unknown>> | undefined {
  if (isRecord(value)) return value;
  const reason = value === undefined ? 'it is missing' : `${show(value)} is not an object`;
  report(field, reason, `give ${example}`);
  return undefined;
}
/** The settings of an object, after reporting those that nobody reads. Undefined, and reported, if it is none. */
export function settingsOf(
  value: unknown,
  field: string,
  known: readonly string[],
  report: Report,
): Readonly<Record<string, unknown>> | undefined {
  const shape = known.length === 0 ? '{}' : `{ ${known.join(', ')} }`;
  const settings = objectOf(value, field, `an object: ${shape}`, report);
  for (const name of Object.keys(settings ?? {})) {
    if (known.includes(name)) continue;
    const [near] = nearestNames(name, known, 1);
    const fix = near === undefined ? 'remove it' : `did you mean '${near}'?`;
    report(`${field}.${name}`, 'there is no such setting', fix);
  }
  return settings;
}

export function checkText(value: unknown, field: string, example: string, report: Report): void {
  if (typeof value === 'string' && value.trim() !== '') return;
  const reason =
    value === undefined ? 'it is missing' : `${show(value)} is not a text with content`;
  report(field, reason, `give a text, such as '${example}'`);
}

/** A setting with a closed set of values; undefined means its default, unless it is required. */
export function checkChoice(
  value: unknown,
  field: string,
  allowed: readonly string[],
  report: Report,
  presence: 'required' | 'optional' = 'optional',
): void {
  if (value === undefined && presence === 'optional') return;
  if (typeof value === 'string' && allowed.includes(value)) return;
  const reason = value === undefined ? 'it is missing' : `${show(value)} is not one of its values`;
  report(field, reason, `give ${list(allowed)}`);
}

export function checkFunction(value: unknown, field: string, report: Report): void {
  if (typeof value === 'function') return;
  report(
    field,
    value === undefined ? 'it is missing' : `${show(value)} is not a function`,
    'give a function',
  );
}

export function checkDuration(
  value: unknown,
  field: string,
  range: { readonly minMs: number; readonly maxMs?: number },
  report: Report,
): void {
  if (value === undefined) {
    report(field, 'it is missing', durationFix);
    return;
  }
  const parsed = parseDuration(value);
  if ('reason' in parsed) report(field, parsed.reason, durationFix);
  else if (parsed.ms < range.minMs || parsed.ms > (range.maxMs ?? Number.MAX_SAFE_INTEGER)) {
    const legal =
      range.maxMs === undefined
        ? `at least ${range.minMs} ms`
        : `${range.minMs} to ${range.maxMs} ms`;
    report(field, `${show(value)} is outside the legal range`, `give ${legal}`);
  }
}

export function checkNumber(
  value: unknown,
  field: string,
  range: { readonly min: number; readonly max: number; readonly whole?: boolean },
  report: Report,
): void {
  const legal =
    typeof value === 'number' &&
    value >= range.min &&
    value <= range.max &&
    (!range.whole || Number.isInteger(value));
  if (legal) return;
  const kind = range.whole ? 'a whole number' : 'a number';
  const reason =
    value === undefined ? 'it is missing' : `${show(value)} is not ${kind} in the legal range`;
  report(field, reason, `give ${kind} from ${range.min} to ${range.max}`);
}

/** The name of an argument; `names` is undefined where the input does not tell its arguments. */
export function checkArgumentName(
  value: unknown,
  field: string,
  names: readonly string[] | undefined,
  report: Report,
): void {
  if (typeof value !== 'string') {
    report(field, `${show(value)} is not the name of an argument`, 'give the name as a string');
  } else if (names !== undefined && !names.includes(value)) {
    const [near] = nearestNames(value, names, 1);
    const fix =
      near !== undefined
        ? `did you mean '${near}'?`
        : names.length === 0
          ? 'the input takes no arguments'
          : `name one of ${list(names)}`;
    report(field, `the input has no argument ${show(value)}`, fix);
  }
}
