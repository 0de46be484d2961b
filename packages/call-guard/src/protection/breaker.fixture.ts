import type {
  Admission,
  BreakerChange,
  BreakerSettings,
  CircuitBreaker,
  Sample,
  Slot,
} from './circuit-breaker.js';

/** The defaults of the product. */
export const settings: BreakerSettings = {
  windowMs: 60_000,
  failures: 5,
  ratePercent: 50,
  minimumVolume: 10,
  consecutive: 5,
  coolDownMs: 30_000,
  coolDownGrowth: 2,
  coolDownCapMs: 600_000,
  successesToClose: 2,
  stableMs: 60_000,
};

export const LEASE_MS = 10_000;
export const MIDNIGHT = Date.UTC(2026, 0, 1);

/** Two clocks that a test moves by hand, each alone if it likes. */
export function twoClocks() {
  const time = {
    monotonic: 0,
    wall: MIDNIGHT,
    monotonicMs: () => time.monotonic,
    wallMs: () => time.wall,
    pass(ms: number) {
      time.monotonic += ms;
      time.wall += ms;
    },
  };
  return time;
}

/** The slot, where there must be one. */
export function slotOf(admission: Admission): Slot {
  if (!admission.admitted) throw new Error(`refused: ${admission.state}`);
  return admission.slot;
}

/** One attempt, admitted and recorded. */
export function attempt(breaker: CircuitBreaker, sample: Sample, times = 1): void {
  for (let i = 0; i < times; i += 1) slotOf(breaker.admit(LEASE_MS)).record(sample);
}

export const steps = (changes: readonly BreakerChange[]): readonly string[] =>
  changes.map(({ from, to, cause }) => `${from} > ${to}: ${cause}`);
