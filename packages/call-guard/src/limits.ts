import { SetupError } from '@holdfast/tool-registry';

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
  probeTimeoutMs: { default: 10_000, least: 1, most: 300_000, unit: 'ms' },
} as const satisfies Record<string, Limit>;

type LimitName = keyof typeof limits;
export type Limits = { readonly [N in LimitName]: number };
/** What a guard's owner may set; see the table for defaults and legal ranges. */
export type Settings = { readonly [N in LimitName]?: number };

/**
 * Fills in defaults.
 * @throws SetupError `option_out_of_range` naming the option, the value and the legal range.
 */
export function checkedLimits(options: Settings = {}): Limits {
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
      (limit.unit !== 'tries' || Number.isInteger(value));
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
  const [first, ...others] = problems;
  if (first !== undefined) throw new SetupError('option_out_of_range', [first, ...others]);
  const value = (name: LimitName): number => options[name] ?? limits[name].default;
  return {
    attempts: value('attempts'),
    backoffBaseMs: value('backoffBaseMs'),
    backoffCapMs: value('backoffCapMs'),
    leaseMs: value('leaseMs'),
    barrierMs: value('barrierMs'),
    lateWindowMs: value('lateWindowMs'),
    idleEndMs: value('idleEndMs'),
    probeTimeoutMs: value('probeTimeoutMs'),
  };
}
