import type { Limits } from '../limits.js';
import type { BreakerName, BreakerScope } from './breakers.js';
import type { BreakerHealth, BreakerSettings } from './circuit-breaker.js';

/** How operators see and switch the breakers of a guard. */
export interface BreakerControl {
  /** All that were ever called. */
  snapshot(): readonly (BreakerName & BreakerHealth)[];
  /** Of one tool, or resource group. Undefined for what was never called. */
  health(name: string, scope?: BreakerScope): BreakerHealth | undefined;
  /** Switches a tool off, for all runs, until `reset`: its calls are answered `tool_disabled`. */
  open(name: string, scope?: BreakerScope): void;
  /** Closes a breaker by hand and forgets why it was open. */
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
