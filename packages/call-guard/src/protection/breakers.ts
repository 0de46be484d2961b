import type { EffectClass } from '@holdfast/tool-registry';
import type { Clock } from '../clock.js';
import {
  type Admission,
  type BreakerChange,
  type BreakerHealth,
  type BreakerRefusal,
  type BreakerSettings,
  CircuitBreaker,
  type ProbePlan,
  type Sample,
  type Slot,
} from './circuit-breaker.js';

export type BreakerScope = 'tool' | 'group';
export interface BreakerName {
  readonly scope: BreakerScope;
  readonly name: string;
}

/** One attempt that asks for admission. */
export interface BreakerRequest {
  readonly tool: string;
  readonly group: string;
  readonly class: EffectClass;
  /** How long a probe's slot may be held: the attempt's timeout. Undefined: up to the cap of the cool-down. */
  readonly leaseMs: number | undefined;
}

export interface Refusal extends BreakerRefusal, BreakerName {}

/** The right to one attempt at its tool and its group. To be given back on every path. */
export interface Permit {
  readonly admitted: true;
  /**
   * Says what became of the attempt; only the first call counts. A success counts for tool and group.
   *
   * @param about whom a failure speaks about: a connect failure, a timeout or an overload about the `group`
   *   (and the tool), any other about the `tool` only
   * @param latencyMs how long the attempt took
   * @param nowMs the moment, in monotonic milliseconds, where it is known; else the clock is asked
   */
  record(sample: Sample, about: BreakerScope, latencyMs?: number, nowMs?: number): void;
}

/**
 * The circuit breakers of a registry's tools and resource groups, across runs. Either of the two stops a call. A group
 * has no limit of consecutive failures: one broken tool must not take its whole group along.
 *
 * @example
 * const permit = breakers.admit({ tool: 'find_order', group: 'orders', class: 'read', leaseMs: 2_000 })
 * if (!permit.admitted) return refused(permit)
 * permit.record('failure', 'group')
 */
export class Breakers {
  readonly #tools = new Map<string, CircuitBreaker>();
  readonly #groups = new Map<string, CircuitBreaker>();

  /**
   * @param onChange told of each change of each breaker. Must not throw
   * @param hasRead whether a group has a read: then no irreversible call is a probe of the group
   */
  constructor(
    private readonly settings: BreakerSettings,
    private readonly clock: Pick<Clock, 'monotonicMs' | 'wallMs'>,
    private readonly onChange: (of: BreakerName, change: BreakerChange) => void,
    private readonly hasRead: (group: string) => boolean,
  ) {}

  /** Asks the tool's breaker first, then the group's. A refusal holds nothing. */
  admit(request: BreakerRequest): Permit | Refusal {
    const { tool, group } = request;
    const leaseMs = request.leaseMs ?? Infinity;
    // Only calls of this tool can tell whether it works again, so each of them may probe.
    const byTool = this.#of({ scope: 'tool', name: tool }).admit(leaseMs);
    if (!byTool.admitted) return refusal('tool', tool, byTool);
    const byGroup = this.#admitToGroup(group, request.class, leaseMs);
    if (byGroup.admitted) return new HeldPermit(byTool.slot, byGroup.slot);
    byTool.slot.record('neutral');
    return refusal('group', group, byGroup);
  }

  /**
   * Opens one until the time that the server named; see `CircuitBreaker.openFor`. A quota is its group's, a
   * pause that one tool asks for is its own.
   *
   * @param ms from now, in milliseconds
   */
  openFor(of: BreakerName, ms: number, cause: string, probes?: ProbePlan): void {
    this.#of(of).openFor(ms, cause, probes);
  }

  /** The kill switch of a tool (or group), known or not yet called: admits nothing until `reset`. */
  open(name: string, scope: BreakerScope = 'tool'): void {
    this.#of({ scope, name }).open();
  }

  /** Closes one by hand and forgets why it was open. */
  reset(name: string, scope: BreakerScope = 'tool'): void {
    this.#find({ scope, name })?.reset();
  }

  /** @returns undefined for what was never called */
  health(name: string, scope: BreakerScope = 'tool'): BreakerHealth | undefined {
    return this.#find({ scope, name })?.snapshot();
  }

  /** The 99th percentile of a tool's latest successes, in milliseconds; undefined without any. */
  p99Ms(tool: string): number | undefined {
    return this.#tools.get(tool)?.p99Ms;
  }

  /** All that were ever called. */
  snapshot(): readonly (BreakerName & BreakerHealth)[] {
    const all = (scope: BreakerScope, breakers: ReadonlyMap<string, CircuitBreaker>) =>
      [...breakers].map(([name, breaker]) => ({ scope, name, ...breaker.snapshot() }));
    return [...all('tool', this.#tools), ...all('group', this.#groups)];
  }

  #admitToGroup(group: string, effectClass: EffectClass, leaseMs: number): Admission {
    const mayProbe = effectClass !== 'irreversible' || !this.hasRead(group);
    return this.#of({ scope: 'group', name: group }).admit(leaseMs, mayProbe);
  }

  #find({ scope, name }: BreakerName): CircuitBreaker | undefined {
    return (scope === 'group' ? this.#groups : this.#tools).get(name);
  }

  #of(of: BreakerName): CircuitBreaker {
    const known = this.#find(of);
    if (known !== undefined) return known;
    const made = this.#make(of);
    (of.scope === 'tool' ? this.#tools : this.#groups).set(of.name, made);
    return made;
  }

  #make(of: BreakerName): CircuitBreaker {
    const settings =
      of.scope === 'tool' ? this.settings : { ...this.settings, consecutive: Infinity };
    return new CircuitBreaker(settings, this.clock, (change) => this.onChange(of, change));
  }
}

/** Field by field: a spread takes ten times as long, and refusing is what an overload does most. */
function refusal(scope: BreakerScope, name: string, by: BreakerRefusal): Refusal {
  const { sinceMs, retryAfterMs, state } = by;
  return { admitted: false, scope, name, sinceMs, retryAfterMs, state };
}

class HeldPermit implements Permit {
  readonly admitted = true;

  constructor(
    private readonly ofTool: Slot,
    private readonly ofGroup: Slot,
  ) {}

  record(sample: Sample, about: BreakerScope, latencyMs?: number, nowMs?: number): void {
    this.ofTool.record(sample, latencyMs, nowMs);
    const isOfToolOnly = sample === 'failure' && about === 'tool';
    this.ofGroup.record(isOfToolOnly ? 'neutral' : sample, latencyMs, nowMs);
  }
}
