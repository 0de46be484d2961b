import type { LedgerStore } from '@holdfast/effect-ledger';
import {
  type ArgsOf,
  type Registry,
  type ResultOf,
  SetupError,
  type SetupProblem,
  type ToolName,
} from '@holdfast/tool-registry';
import type { Execute } from './call/request.js';
import type { Clock } from './clock.js';
import type { EventSink } from './events/event.js';
import { type Locale, locales } from './failure-texts/user.js';
import type { Settings } from './limits.js';
import type { ModeOption } from './mode.js';
import type { ProgressUpdate } from './progress.js';
import { isRecord } from './record.js';
import type { RefreshAuth } from './refresh-auth.js';
import type { RunLimits } from './run/run-limits.js';

export interface GuardOptions<R extends Registry> {
  readonly registry: R;
  /** Stays open when the guard is closed: it is the caller's. */
  readonly ledger: LedgerStore;
  /** Whose effects these are. Default: `default`. */
  readonly tenant?: string;
  readonly settings?: Settings;
  /** Where events go, beside the counters. Default: nowhere. */
  readonly events?: readonly EventSink[];
  /** For probes and captures whose tool the agent does not have. */
  readonly executors?: { readonly [N in ToolName<R>]?: Execute<ArgsOf<R, N>, ResultOf<R, N>> };
  /** What bounds each run, unless the run says otherwise. Default: nothing. */
  readonly limits?: RunLimits;
  /** One mode for the whole guard, or one for each mechanism that is not to be enforced. Default: `enforce`. */
  readonly mode?: ModeOption;
  /**
   * A tool whose breaker opened stays off for the rest of the run, and other runs find out whether it works
   * again (`run`, default); or it may be called as soon as its breaker lets a probe through.
   */
  readonly offAfterOpen?: 'run' | 'until-probe';
  /**
   * A service that asks for a wait longer than `settings.retryAfterMaxMs` is not called until then
   * (`at-reset`, default); or, where it says so while it has capacity left, one call probes it at doubling
   * intervals (`doubling`).
   */
  readonly probesInLongWaits?: 'at-reset' | 'doubling';
  /**
   * Renews credentials that a tool's service does not accept any more (401). Called once for all calls of a
   * resource group that wait for it, each of which is then tried once more. It has
   * `settings.authRefreshMs`. Default: none; such calls fail at once.
   */
  readonly refreshAuth?: RefreshAuth;
  /** The language in which users are told of failures and runs. Default: `en`. */
  readonly locale?: Locale;
  /** Told while a call waits to be tried again. One that throws is ignored. */
  readonly onProgress?: (update: ProgressUpdate) => void;
  /**
   * Takes secrets that can be told by their form or their name out of what others wrote before it is in events
   * or, as evidence, in the ledger. What the model and the program are given is never changed. Default: true.
   */
  readonly redactSecrets?: boolean;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** In [0, 1). Default: `Math.random`. */
  readonly random?: () => number;
  /** Default: random UUIDs. */
  readonly newId?: () => string;
}

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
  if (given.redactSecrets !== undefined && typeof given.redactSecrets !== 'boolean') {
    problems.push({
      field: 'redactSecrets',
      reason: `${describe(given.redactSecrets)} is neither true nor false`,
      fix: 'give true or false',
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

function describe(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : typeof value;
}
