import type { Admission } from '@holdfast/effect-ledger';
import { SetupError } from '@holdfast/tool-registry';
import type { Mode } from './mode.js';
import type { CheckedRunLimits } from './run/run-limits.js';

interface Limit {
  readonly default: number;
  readonly least: number;
  readonly most: number;
  readonly unit: string;
}

/** Every default and legal range, once. Changing a default is a contract change. */
const limits = {
  /** Tries of one call, the first included. */
  attempts: { default: 3, least: 1, most: 10, unit: 'tries' },
  backoffBaseMs: { default: 250, least: 1, most: 300_000, unit: 'ms' },
  backoffCapMs: { default: 8_000, least: 1, most: 300_000, unit: 'ms' },
  /** How long a claim counts as alive without renewal; renewed three times within it. */
  leaseMs: { default: 30_000, least: 1_000, most: 3_600_000, unit: 'ms' },
  /** How long an irreversible call waits for its checkpoint to be durable. */
  barrierMs: { default: 2_000, least: 0, most: 60_000, unit: 'ms' },
  /** How long after a timeout or a cancel a write may still answer, where its entry names no timeout. */
  lateWindowMs: { default: 60_000, least: 0, most: 86_400_000, unit: 'ms' },
  /** Idle end of a run that nobody declares over: after it an equal input is a new run. */
  idleEndMs: { default: 900_000, least: 1_000, most: 86_400_000, unit: 'ms' },
  /** How long a person's decision about a call holds. */
  approvalMs: { default: 86_400_000, least: 1_000, most: 2_592_000_000, unit: 'ms' },
  probeTimeoutMs: { default: 10_000, least: 1, most: 300_000, unit: 'ms' },
  /** A call is not started when this times its 99th percentile is more than what is left. */
  admissionFactor: { default: 1.5, least: 1, most: 5, unit: 'times the p99' },
  /** Measurements before a latency profile counts. */
  profileSamples: { default: 30, least: 10, most: 1_000_000, unit: 'samples' },
  /** Observed over declared 99th percentile from which on a profile counts as drifted. */
  profileDrift: { default: 2, least: 1.2, most: 10, unit: 'times the declared p99' },
  /** Share of what is left of a deadline that work inside a delegating tool may take. */
  childDeadlineRatio: { default: 0.5, least: 0, most: 1, unit: 'of what is left' },
  /** How much longer the next try may take after a timeout. */
  timeoutGrowth: { default: 1.5, least: 1, most: 3, unit: 'times' },
  /** The longest wait that a server asks for and that is waited for; a longer one opens the breaker. */
  retryAfterMaxMs: { default: 300_000, least: 0, most: 3_600_000, unit: 'ms' },
  /** Retries per first tries of a resource group, over ten seconds. */
  retryBudgetPercent: { default: 20, least: 0, most: 100, unit: '%' },
  /** Retries in ten seconds that a quiet resource group may always make. */
  retryBudgetFloor: { default: 10, least: 0, most: 1_000, unit: 'retries' },
  /** How long `refreshAuth` may take. */
  authRefreshMs: { default: 30_000, least: 1, most: 300_000, unit: 'ms' },
  /** How long credentials that were renewed in vain are not renewed again. */
  authCoolMs: { default: 30_000, least: 0, most: 3_600_000, unit: 'ms' },
  breakerWindowMs: { default: 60_000, least: 1_000, most: 3_600_000, unit: 'ms' },
  /** Failures within the window that open a breaker. */
  breakerFailures: { default: 5, least: 1, most: 1_000, unit: 'failures' },
  breakerRatePercent: { default: 50, least: 1, most: 100, unit: '%' },
  /** Calls within the window before the rate counts. */
  breakerMinimumVolume: { default: 10, least: 1, most: 1_000, unit: 'calls' },
  breakerConsecutive: { default: 5, least: 1, most: 1_000, unit: 'failures' },
  breakerCoolDownMs: { default: 30_000, least: 1, most: 3_600_000, unit: 'ms' },
  /** Each opening without a stable time between cools down so many times longer. */
  breakerCoolDownGrowth: { default: 2, least: 1, most: 10, unit: 'times' },
  breakerCoolDownCapMs: { default: 600_000, least: 1, most: 3_600_000, unit: 'ms' },
  breakerSuccesses: { default: 2, least: 1, most: 100, unit: 'successes' },
  breakerStableMs: { default: 60_000, least: 0, most: 3_600_000, unit: 'ms' },
  /** Equal results of the same call in one run; the next equal call is refused. */
  maxRepeats: { default: 3, least: 1, most: 20, unit: 'results' },
} as const satisfies Record<string, Limit>;

type LimitName = keyof typeof limits;
export type Limits = { readonly [N in LimitName]: number };
/** What a guard's owner may set; see the table for defaults and legal ranges. */
export type Settings = { readonly [N in LimitName]?: number };

const counted = new Set([
  'tries',
  'samples',
  'failures',
  'calls',
  'successes',
  'results',
  'retries',
]);

/**
 * Fills in defaults.
 * @throws SetupError `option_out_of_range` naming the option, the value and the legal range.
 */
export function checkedLimits(options: Settings = {}): Limits {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new SetupError('option_out_of_range', [
      { field: 'settings', reason: 'it is no object', fix: 'give { attempts: 3 }' },
    ]);
  }
  const problems = Object.entries(options).flatMap(([name, value]) => {
    const limit: Limit | undefined = Object.hasOwn(limits, name)
      ? limits[name as LimitName]
      : undefined;
    if (limit === undefined) {
      return [
        {
          field: `settings.${name}`,
          reason: 'there is no such limit',
          fix: `use one of ${Object.keys(limits).join(', ')}`,
        },
      ];
    }
    const legal =
      typeof value === 'number' &&
      value >= limit.least &&
      value <= limit.most &&
      (!counted.has(limit.unit) || Number.isInteger(value));
    return value === undefined || legal
      ? []
      : [
          {
            field: `settings.${name}`,
            reason: `${String(value)} is out of range`,
            fix: `give ${limit.least} to ${limit.most} ${limit.unit} (default ${limit.default})`,
          },
        ];
  });
  const checked = Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [
      name,
      options[name as LimitName] ?? limit.default,
    ]),
  ) as Limits;
  if (checked.breakerCoolDownMs > checked.breakerCoolDownCapMs) {
    problems.push({
      field: 'settings.breakerCoolDownMs',
      reason: `${checked.breakerCoolDownMs} is over breakerCoolDownCapMs (${checked.breakerCoolDownCapMs})`,
      fix: 'give a cool-down that is at most its cap',
    });
  }
  const [first, ...others] = problems;
  if (first !== undefined) throw new SetupError('option_out_of_range', [first, ...others]);
  return checked;
}

/** The settings in force that are not the defaults. */
export function changedLimits(inForce: Limits): Readonly<Record<string, number>> {
  const all = Object.entries(inForce);
  return Object.fromEntries(
    all.filter(([name, value]) => value !== limits[name as LimitName].default),
  );
}

/** What of the limits in force is written down with a run: its own, and the changed ones of its guard. */
export function recordedWith(
  ofRun: CheckedRunLimits,
  changed: ReturnType<typeof changedLimits>,
  mode: Mode,
): Pick<Admission, 'limits' | 'mode'> {
  const all = { ...changed, ...ofRun };
  return {
    ...(Object.keys(all).length === 0 ? {} : { limits: all }),
    ...(mode === 'off' ? {} : { mode }),
  };
}
