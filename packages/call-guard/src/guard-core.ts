import { randomUUID } from 'node:crypto';
import type { Admission } from '@holdfast/effect-ledger';
import type { Registry } from '@holdfast/tool-registry';
import { askRead } from './ask-read.js';
import { type Clock, createSystemClock, systemRandom } from './clock.js';
import { createEmitter, type Emit, type Emitter } from './events/emitter.js';
import { Executors } from './executors.js';
import { neededMs } from './expected-latency.js';
import type { GateParts, RemovableMechanism } from './gate-parts.js';
import { changedLimits, checkedLimits, type Limits, recordedWith } from './limits.js';
import { ModeSwitch, shadowTenant } from './mode.js';
import type { GuardOptions } from './options.js';
import { breakerSettings } from './protection/breaker-control.js';
import { Breakers } from './protection/breakers.js';
import { ProfileDrift } from './protection/profile-drift.js';
import { AuthRefresh } from './refresh-auth.js';
import { RetryBudgets } from './retry/budget.js';
import { Flights } from './run/flights.js';
import { type CheckedRunLimits, checkedRunLimits } from './run/run-limits.js';
import { Runs } from './run/runs.js';
import { ShadowTally } from './shadow.js';
import { StoppedCalls } from './stopped-calls.js';
import { toolMemories } from './tool-memory.js';

/** What one guard is made of. */
export interface GuardCore {
  readonly parts: GateParts;
  readonly runs: Runs;
  readonly modes: ModeSwitch;
  /** What bounds a run that says nothing itself. */
  readonly runLimits: CheckedRunLimits;
  readonly emitter: Emitter;
  /** What of the limits and the mode is written down with a run that is bounded so. */
  recordedWith(ofRun: CheckedRunLimits): Pick<Admission, 'limits' | 'mode'>;
  /** Whose effects these are; while the guard only watches, in a namespace beside. */
  tenant(): string;
}

/**
 * Puts a guard together from its options.
 *
 * @throws SetupError `option_out_of_range`
 */
export function assemble<R extends Registry>(
  options: GuardOptions<R>,
  removed: ReadonlySet<RemovableMechanism>,
): GuardCore {
  const { registry, ledger, tenant = 'default', newId = randomUUID } = options;
  const { clock = createSystemClock() } = options;
  const limits = checkedLimits(options.settings);
  const changed = changedLimits(limits);
  const modes = new ModeSwitch(options.mode);
  const emitter = createEmitter(options.events ?? [], clock, options.redactSecrets);
  const parts: GateParts = {
    registry,
    ledger,
    clock,
    random: options.random ?? systemRandom,
    newId,
    limits,
    flights: new Flights(clock),
    breakers: breakersOf(registry, limits, tenant, clock, emitter.emit),
    auth: new AuthRefresh(options.refreshAuth, { clock, limits }),
    profileDrift: new ProfileDrift(limits),
    retryBudgets: new RetryBudgets({
      percent: limits.retryBudgetPercent,
      floor: limits.retryBudgetFloor,
      clock,
    }),
    shadow: new ShadowTally(),
    offAfterOpen: options.offAfterOpen ?? 'run',
    probesInLongWaits: options.probesInLongWaits ?? 'at-reset',
    onProgress: harmless(options.onProgress),
    memories: toolMemories(registry),
    steps: new Map(),
    stopped: new StoppedCalls(),
    emit: emitter.emit,
    executors: new Executors(registry, options.executors ?? {}),
    ask: (tool, args, run, purpose, timeoutMs) =>
      askRead({ tool: tool.name, args, callId: purpose }, run, timeoutMs, parts),
    redactsSecrets: options.redactSecrets ?? true,
    removed,
  };
  const runs = new Runs({
    ledger,
    clock,
    newId,
    leaseMs: limits.leaseMs,
    idleEndMs: limits.idleEndMs,
    modes: () => modes.now,
    locale: options.locale ?? 'en',
    emit: emitter.emit,
    expectedMs: (tool) => {
      const entry = registry.tools.get(tool);
      return entry === undefined ? 0 : neededMs(entry, limits);
    },
  });
  return {
    parts,
    runs,
    modes,
    runLimits: checkedRunLimits(options.limits),
    emitter,
    recordedWith: (ofRun) => recordedWith(ofRun, changed, modes.now.guard),
    tenant: () => (modes.now.guard === 'shadow' ? shadowTenant(tenant) : tenant),
  };
}

/** The circuit breakers, whose changes are events. */
function breakersOf(
  registry: Registry,
  limits: Limits,
  tenant: string,
  clock: Clock,
  emit: Emit,
): Breakers {
  return new Breakers(
    breakerSettings(limits),
    clock,
    ({ scope, name }, { untilMs, ...said }) =>
      emit(
        'breaker_state_changed',
        {
          tenant,
          runId: '',
          intentId: '',
          ...(scope === 'tool' ? { tool: name } : { resourceGroup: name }),
        },
        { scope, name, ...said, ...(untilMs === undefined ? {} : { until: untilMs }) },
      ),
    (group) =>
      [...registry.tools.values()].some(
        (entry) => entry.resourceGroup === group && entry.idempotency.class === 'read',
      ),
  );
}

/** Whoever only looks on disturbs nothing. */
function harmless(onProgress: GateParts['onProgress'] = () => {}): GateParts['onProgress'] {
  return (update) => {
    try {
      onProgress(update);
    } catch {
      // It is told of the next update all the same.
    }
  };
}
