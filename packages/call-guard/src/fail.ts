import { SetupError, type SetupProblem } from '@holdfast/tool-registry';
import type { EffectSeen, FailureDetails } from './failure.js';
import { StatedFailure } from './stated-failure.js';

interface Said {
  /** What the call did to the outside world, this attempt and no other. */
  readonly effect: EffectSeen;
}

/** What a tool's own code knows of its failure. */
export type Statement =
  | (Said & { readonly kind: 'business_error' } & FailureDetails['business_error'])
  | (Said & { readonly kind: 'dependency_failed' } & FailureDetails['dependency_failed'])
  | (Said & { readonly kind: 'auth_failed' } & FailureDetails['auth_failed'])
  | (Said & {
      readonly kind: 'rate_limited' | 'overloaded';
      /** In milliseconds, from now; above 0, finite. */
      readonly retryAfterMs?: number;
    });

const effects = ['none', 'done', 'unknown'];
const reasons = ['credentials', 'permission', 'quota'];

const text: Check = [(value) => typeof value === 'string', 'give a text'];
const flag: Check = [(value) => typeof value === 'boolean', 'give true or false'];
const status: Check = [
  (value) => typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599,
  'give an HTTP status, 100 to 599',
];
const wait: Check = [
  (value) => typeof value === 'number' && value > 0 && Number.isFinite(value),
  'give milliseconds from now, above 0, or leave it out',
];
const about = { message: text, code: text, status };

type Check = readonly [isRight: (value: unknown) => boolean, fix: string];

/** The fields of each kind beside `kind` and `effect`. */
const fields: Readonly<Record<Statement['kind'], Readonly<Record<string, Check>>>> = {
  business_error: about,
  dependency_failed: { ...about, transient: flag },
  auth_failed: {
    ...about,
    why: [(value) => oneOf(reasons, value), `give one of ${reasons.join(', ')}`],
  },
  rate_limited: { retryAfterMs: wait },
  overloaded: { retryAfterMs: wait },
};

/**
 * Ends a tool with what its own code knows about the failure, which is taken as it is instead of being
 * read from an error. `effect: 'none'` allows the guard to call the tool again where its class and the
 * kind allow it, so say it only of what is certain; `done` makes the call one that took place.
 *
 * @throws StatedFailure always, for the guard around the tool
 * @throws SetupError `option_out_of_range` naming each field that cannot be what it should be
 * @example
 * if (order.isSoldOut) throw fail({ kind: 'business_error', effect: 'none', code: 'sold_out' })
 */
export function fail(statement: Statement): never {
  check(statement);
  switch (statement.kind) {
    case 'rate_limited':
    case 'overloaded': {
      const { kind, effect, ...details } = statement;
      throw new StatedFailure(kind, effect, { ...details, source: 'stated' });
    }
    case 'business_error': {
      const { kind, effect, ...details } = statement;
      throw new StatedFailure(kind, effect, details);
    }
    case 'dependency_failed': {
      const { kind, effect, ...details } = statement;
      throw new StatedFailure(kind, effect, details);
    }
    case 'auth_failed': {
      const { kind, effect, ...details } = statement;
      throw new StatedFailure(kind, effect, details);
    }
  }
}

/** Programs in JavaScript have no types to tell. */
function check(statement: unknown): void {
  const given: Readonly<Record<string, unknown>> =
    typeof statement === 'object' && statement !== null ? { ...statement } : {};
  const { kind, effect, ...details } = given;
  const kinds = Object.keys(fields);
  const problems: SetupProblem[] = [];
  if (!oneOf(kinds, kind)) problems.push(wrong('kind', kind, `give one of ${kinds.join(', ')}`));
  if (!oneOf(effects, effect)) {
    problems.push(wrong('effect', effect, `give one of ${effects.join(', ')}`));
  }
  if (oneOf(kinds, kind)) problems.push(...wrongDetails(kind as Statement['kind'], details));
  const [first, ...others] = problems;
  if (first !== undefined) throw new SetupError('option_out_of_range', [first, ...others]);
}

function wrongDetails(
  kind: Statement['kind'],
  details: Readonly<Record<string, unknown>>,
): readonly SetupProblem[] {
  const known = fields[kind];
  const missing = kind === 'auth_failed' && details.why === undefined ? { why: undefined } : {};
  return Object.entries({ ...missing, ...details }).flatMap(([name, value]) => {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) {
      const names = Object.keys(known).join(', ');
      return [wrong(name, value, `a ${kind} has ${names}, and no ${name}`)];
    }
    if (value === undefined && name !== 'why') return [];
    const [isRight, fix] = rule;
    return isRight(value) ? [] : [wrong(name, value, fix)];
  });
}

function wrong(name: string, value: unknown, fix: string): SetupProblem {
  const reason = value === undefined ? 'it is missing' : `${shown(value)} is not one`;
  return { field: `fail.${name}`, reason, fix };
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `'${value}'` : typeof value;
}

function oneOf(list: readonly string[], value: unknown): value is string {
  return typeof value === 'string' && list.includes(value);
}
