import { nearestNames, type Registry, SetupError } from '@holdfast/tool-registry';
import type { Limits } from '../limits.js';
import type { BreakerName, BreakerScope, Breakers } from './breakers.js';
import type { BreakerHealth, BreakerSettings } from './circuit-breaker.js';

/** How operators see and switch the breakers of a guard. */
export interface BreakerControl {
  /** All that were ever called. */
  snapshot(): readonly (BreakerName & BreakerHealth)[];
  /** Of one tool, or resource group. Undefined for what was never called. */
  health(name: string, scope?: BreakerScope): BreakerHealth | undefined;
  /**
   * Switches a tool off, for all runs, until `reset`: its calls are answered `tool_disabled`.
   * @throws SetupError `option_out_of_range` for a name that the registry has not: nothing would be switched
   */
  open(name: string, scope?: BreakerScope): void;
  /**
   * Closes a breaker by hand and forgets why it was open.
   * @throws SetupError `option_out_of_range` for a name that the registry has not
   */
  reset(name: string, scope?: BreakerScope): void;
}

/** The breakers' part of a guard's settings. */
export function breakerSettings(limits: Limits): BreakerSettings {
  return {
    windowMs: limits.breakerWindowMs,
    failures: limits.breakerFailures,
    ratePercent: limits.breakerRatePercent,
    minimumVolume: limits.breakerMinimumVolume,
    consecutive: limits.breakerConsecutive,
    coolDownMs: limits.breakerCoolDownMs,
    coolDownGrowth: limits.breakerCoolDownGrowth,
    coolDownCapMs: limits.breakerCoolDownCapMs,
    successesToClose: limits.breakerSuccesses,
    stableMs: limits.breakerStableMs,
  };
}

/** The breakers of a guard, as its operators have them. */
export function controlOf(breakers: Breakers, registry: Registry): BreakerControl {
  return {
    snapshot: () => breakers.snapshot(),
    health: (name, scope) => breakers.health(name, scope),
    open(name, scope = 'tool') {
      checkBreakerName({ scope, name }, registry);
      breakers.open(name, scope);
    },
    reset(name, scope = 'tool') {
      checkBreakerName({ scope, name }, registry);
      breakers.reset(name, scope);
    },
  };
}

/** Only what the registry has is switched: a kill switch that was misspelled must not seem to be thrown. */
function checkBreakerName({ scope, name }: BreakerName, registry: Registry): void {
  const scopes: Readonly<Record<string, ReadonlyMap<string, unknown>>> = {
    tool: registry.tools,
    group: registry.resourceGroups,
  };
  const known = Object.hasOwn(scopes, scope) ? scopes[scope] : undefined;
  if (known?.has(name)) return;
  const near = nearestNames(String(name), known?.keys() ?? []);
  throw new SetupError('option_out_of_range', [
    known === undefined
      ? { field: 'scope', reason: `there is no ${String(scope)}`, fix: 'use one of tool, group' }
      : {
          field: 'name',
          reason: `the registry ${registry.name} has no ${scope} named ${String(name)}`,
          fix: `use ${near.length === 0 ? `a ${scope} of the registry` : near.join(', ')}`,
        },
  ]);
}
