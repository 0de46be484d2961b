/** Everything that can be wrong with one declaration, found at once. */
import type { z } from 'zod';
import { canonicalJson } from '../canonical-json.js';
import { contractSchema } from '../contract-digest.js';
import { argumentNames, isZodSchema } from '../input-schema.js';
import type { SetupProblem } from '../setup-error.js';
import { checkCompensation } from './check-compensation.js';
import { checkExamples } from './check-examples.js';
import { checkCapture, checkProbe } from './check-helper-reads.js';
import { carrierArgument, checkIdempotency } from './check-idempotency.js';
import { checkLatency, checkPolling, checkTimeouts } from './check-latency.js';
import { checkResult } from './check-result.js';
import {
  checkArgumentName,
  checkChoice,
  checkText,
  objectOf,
  type Report,
  settingsOf,
  show,
} from './settings.js';

const known = [
  'name',
  'version',
  'summary',
  'useWhen',
  'avoidWhen',
  'examples',
  'input',
  'output',
  'idempotency',
  'capture',
  'compensation',
  'probe',
  'result',
  'arguments',
  'latency',
  'timeouts',
  'polling',
  'resourceGroup',
  'serialBy',
  'sideEffect',
  'owner',
];
/** What every model provider accepts as a tool's name. */
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
const version = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

function checkName(value: unknown, field: string, report: Report): void {
  if (value === 'none') {
    report(field, "'none' is how a compensation says that there is none", 'give another name');
  } else if (typeof value !== 'string' || !toolName.test(value)) {
    const reason = value === undefined ? 'it is missing' : `${show(value)} is not a tool's name`;
    report(field, reason, 'give 1 to 64 letters (a-z, A-Z), digits, _ or -');
  }
}

/** A schema that has a JSON schema. Returns it, if it is one. */
function checkSchema(value: unknown, field: string, report: Report): z.ZodType | undefined {
  if (!isZodSchema(value)) {
    const reason = value === undefined ? 'it is missing' : `${show(value)} is not a zod 4 schema`;
    report(field, reason, 'give a schema of zod 4, such as z.object({ … })');
    return undefined;
  }
  try {
    canonicalJson(contractSchema(value));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(field, `it has no JSON schema (${reason})`, 'give a schema that JSON can express');
  }
  return value;
}

function checkArguments(
  value: unknown,
  field: string,
  names: readonly string[] | undefined,
  report: Report,
): void {
  const rules = objectOf(value, field, 'an object: { [argument]: { exact: true } }', report);
  for (const [name, rule] of Object.entries(rules ?? {})) {
    checkArgumentName(name, `${field}.${name}`, names, report);
    if (rule === undefined) continue;
    const exact = settingsOf(rule, `${field}.${name}`, ['exact'], report)?.exact;
    if (exact !== undefined && typeof exact !== 'boolean') {
      report(`${field}.${name}.exact`, `${show(exact)} is not a boolean`, 'give true or false');
    }
  }
}

/** What only a tool with effects may have, and what it must. */
function checkEffects(
  declaration: Readonly<Record<string, unknown>>,
  effectClass: string | undefined,
  field: string,
  report: Report,
): void {
  if (effectClass === 'read' || effectClass === 'delegates') {
    for (const setting of ['capture', 'probe', 'compensation']) {
      if (declaration[setting] === undefined) continue;
      const reason = `a tool of class ${effectClass} has no effect to ask about or to undo`;
      report(`${field}.${setting}`, reason, 'remove it, or declare the write');
    }
  }
  if (effectClass === 'read' && (declaration.sideEffect ?? 'none') !== 'none') {
    const reason = `a read has no side effect, but ${show(declaration.sideEffect)} is given`;
    report(`${field}.sideEffect`, reason, 'remove it, or declare the write');
  }
  if (effectClass === 'irreversible' && declaration.compensation === undefined) {
    const fix =
      "name the tool that undoes it, or give { tool: 'none', avoidBy: 'place-last' | 'confirm' | 'accept', reason }";
    report(`${field}.compensation`, 'an irreversible tool must say how it is undone', fix);
  }
}

/** All problems of one declaration; none means that it has the declared type. */
export function problemsOfDeclaration(value: unknown): readonly SetupProblem[] {
  const problems: SetupProblem[] = [];
  const report: Report = (field, reason, fix) => problems.push({ field, reason, fix });
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : '';
  const field = typeof name === 'string' && name !== '' ? `tools.${name}` : 'tools.(unnamed)';

  const declaration = settingsOf(value, field, known, report);
  if (declaration === undefined) return problems;
  const given = (
    setting: string,
    check: (value: unknown, field: string, report: Report) => void,
  ) => {
    if (declaration[setting] !== undefined) {
      check(declaration[setting], `${field}.${setting}`, report);
    }
  };

  checkName(declaration.name, `${field}.name`, report);
  given('version', (v, at) => {
    if (typeof v === 'string' && version.test(v)) return;
    report(at, `${show(v)} is not a version x.y.z`, "give a version such as '1.2.0'");
  });
  checkText(declaration.summary, `${field}.summary`, 'Look up one order by its id.', report);
  given('useWhen', (v, at) => checkText(v, at, 'The customer names an order.', report));
  given('avoidWhen', (v, at) => checkText(v, at, 'The order is already shipped.', report));
  const input = checkSchema(declaration.input, `${field}.input`, report);
  given('output', checkSchema);
  const idempotency = `${field}.idempotency`;
  const effectClass = checkIdempotency(declaration.idempotency, idempotency, input, report);
  checkEffects(declaration, effectClass, field, report);
  const carrier = carrierArgument(declaration.idempotency);
  given('examples', (v, at) => checkExamples(v, at, input, carrier, report));
  given('capture', checkCapture);
  given('compensation', checkCompensation);
  given('probe', checkProbe);
  given('result', checkResult);
  const names = input && argumentNames(input);
  given('arguments', (v, at) => checkArguments(v, at, names, report));
  given('serialBy', (v, at) => checkArgumentName(v, at, names, report));
  given('latency', checkLatency);
  given('timeouts', checkTimeouts);
  given('polling', (v, at) => checkPolling(v, at, effectClass, report));
  given('sideEffect', (v, at) => checkChoice(v, at, ['none', 'internal', 'external'], report));
  checkText(declaration.resourceGroup, `${field}.resourceGroup`, 'orders-db', report);
  checkText(declaration.owner, `${field}.owner`, 'orders@team', report);
  return problems;
}
