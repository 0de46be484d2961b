import type { LedgerStore } from '@holdfast/effect-ledger';
import type { AnyToolEntry, Registry } from '@holdfast/tool-registry';
import type { StepsUnderWay } from './call/steps-under-way.js';
import type { Clock } from './clock.js';
import type { Emit } from './events/emitter.js';
import type { Executors } from './executors.js';
import type { Limits } from './limits.js';
import type { ProgressUpdate } from './progress.js';
import type { Breakers } from './protection/breakers.js';
import type { ProbePlan } from './protection/circuit-breaker.js';
import type { ProfileDrift } from './protection/profile-drift.js';
import type { AuthRefresh } from './refresh-auth.js';
import type { RetryBudgets } from './retry/budget.js';
import type { Flights } from './run/flights.js';
import type { Run } from './run/run.js';
import type { ShadowTally } from './shadow.js';
import type { StoppedCalls } from './stopped-calls.js';
import type { ToolMemories } from './tool-memory.js';

/** Mechanisms that a test may take out, to see that something turns red without them. */
export type RemovableMechanism =
  | 'write-ahead'
  | 'single-flight'
  | 'barrier'
  | 'probe'
  | 'class-rules'
  | 'deadline'
  | 'retry-budget'
  | 'retry-scope'
  | 'circuit-breaker'
  | 'loop-guard';

/** Runs a registered read for the guard itself; `raw` as the tool gave it, `result` as its schema reads it. */
export type AskRead = (
  tool: AnyToolEntry,
  args: unknown,
  run: Run,
  purpose: string,
  /** How long the answer is waited for, in milliseconds. */
  timeoutMs?: number,
) => Promise<
  | { readonly ok: true; readonly raw: unknown; readonly result: unknown }
  | { readonly ok: false; readonly why: string }
>;

/** What the stages share. Made once per guard. */
export interface GateParts {
  readonly registry: Registry;
  readonly ledger: LedgerStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly newId: () => string;
  readonly limits: Limits;
  readonly flights: Flights;
  readonly breakers: Breakers;
  readonly profileDrift: ProfileDrift;
  readonly retryBudgets: RetryBudgets;
  /** Renews expired credentials, where the guard has a way to. */
  readonly auth: AuthRefresh;
  readonly shadow: ShadowTally;
  /** What happens to a tool in a run after its breaker opened. */
  readonly offAfterOpen: 'run' | 'until-probe';
  /** When a breaker probes that is closed because the other side asked for a long wait. */
  readonly probesInLongWaits: ProbePlan;
  /** Shows that work goes on; never throws. */
  readonly onProgress: (update: ProgressUpdate) => void;
  readonly memories: ToolMemories;
  readonly steps: StepsUnderWay;
  readonly stopped: StoppedCalls;
  readonly emit: Emit;
  readonly executors: Executors;
  /** Runs a registered read for the guard itself: a probe or a capture. */
  readonly ask: AskRead;
  /** Whether secrets that can be told are taken out of what others wrote, before it is kept. */
  readonly redactsSecrets: boolean;
  readonly removed: ReadonlySet<RemovableMechanism>;
}
