import { isRecord } from '../record.js';
import type { ArgumentIssue } from './argument-rules.js';

/** A number in the one way in which JavaScript would print it: nothing is lost by reading it. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

export interface RepairNames {
  /** Top-level arguments that are never repaired. */
  readonly exact: ReadonlySet<string>;
  /** Top-level arguments that the schema names. */
  readonly known: ReadonlySet<string>;
}

/**
 * Applies to each issue the one lossless repair that fits it: what models do to arguments and what can
 * be taken back without guessing. Undefined if none fits.
 */
export function repairOnce(
  input: unknown,
  issues: readonly ArgumentIssue[],
  names: RepairNames,
): { readonly input: unknown; readonly repairs: readonly string[] } | undefined {
  const root = repairRoot(input, issues, names.known);
  if (root !== undefined) return root;
  const copy = isRecord(input) ? copyOf(input) : undefined;
  if (copy === undefined) return undefined;
  const repairs = issues
    .filter((issue) => !names.exact.has(String(issue.path[0])))
    .map((issue) => repairAt(copy, issue))
    .filter((repair) => repair !== undefined);
  return repairs.length === 0 ? undefined : { input: copy, repairs };
}

function repairRoot(
  input: unknown,
  issues: readonly ArgumentIssue[],
  known: ReadonlySet<string>,
): ReturnType<typeof repairOnce> {
  if (typeof input === 'string') {
    const parsed = parseJson(input);
    return isRecord(parsed)
      ? { input: parsed, repairs: ['arguments: read from JSON text'] }
      : undefined;
  }
  if (!isRecord(input)) return undefined;
  // { input: { … } } where the schema knows no `input` and misses what is inside.
  const [only, ...others] = Object.keys(input);
  if (only === undefined || others.length > 0 || known.has(only)) return undefined;
  const inner = input[only];
  const missing = issues.filter((issue) => issue.path.length === 1).map((issue) => issue.path[0]);
  const wrapped =
    isRecord(inner) &&
    missing.length > 0 &&
    missing.every((name) => Object.hasOwn(inner, String(name)));
  return wrapped ? { input: inner, repairs: [`${only}: unwrapped one level`] } : undefined;
}

function repairAt(root: unknown, issue: ArgumentIssue): string | undefined {
  const holder = issue.path.slice(0, -1).reduce<unknown>(child, root);
  const last = issue.path.at(-1);
  if (last === undefined || !(isRecord(holder) || Array.isArray(holder))) return undefined;
  const value = child(holder, last);
  const at = issue.path.map(String).join('.');
  if (value === null && !Array.isArray(holder) && issue.refusesNull) {
    Reflect.deleteProperty(holder, last);
    return `${at}: null left out`;
  }
  if (typeof value !== 'string') return undefined;
  for (const expected of issue.expected) {
    const repaired = fromText(value, expected);
    if (repaired === undefined) continue;
    Reflect.set(holder, last, repaired);
    return `${at}: text read as ${expected}`;
  }
  return undefined;
}

function fromText(text: string, expected: string): unknown {
  switch (expected) {
    case 'number':
    case 'int':
    case 'integer':
      return PLAIN_NUMBER.test(text) && String(Number(text)) === text ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'object':
    case 'record': {
      const parsed = parseJson(text);
      return isRecord(parsed) ? parsed : undefined;
    }
    case 'array':
    case 'tuple': {
      const parsed = parseJson(text);
      return Array.isArray(parsed) ? parsed : undefined;
    }
    default:
      return undefined;
  }
}

/** Repairs leave what the caller gave alone. What cannot be copied is not what a model sent. */
function copyOf(input: Record<string, unknown>): Record<string, unknown> | undefined {
  try {
    return structuredClone(input);
  } catch {
    return undefined;
  }
}

function child(holder: unknown, name: PropertyKey): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
