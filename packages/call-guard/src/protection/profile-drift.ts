import type { AnyToolEntry } from '@holdfast/tool-registry';
import type { Limits } from '../limits.js';

/** What was observed of a tool, as far as it concerns its profile. */
export interface Observed {
  readonly p99Ms?: number;
  readonly samples: number;
}

/**
 * Notices a tool whose observed 99th percentile is far over the declared one: its timeouts and its
 * admission are then wrong. Looks at each so many successes, and tells of each tool once.
 */
export class ProfileDrift {
  readonly #successes = new Map<string, number>();
  readonly #told = new Set<string>();

  constructor(private readonly limits: Pick<Limits, 'profileDrift' | 'profileSamples'>) {}

  /** After a success of the tool. Returns what drifted, in milliseconds, if it is to be told now. */
  look(
    { name, latency }: Pick<AnyToolEntry, 'name' | 'latency'>,
    observe: () => Observed | undefined,
  ): { readonly observedMs: number; readonly declaredMs: number } | undefined {
    if (latency?.kind !== 'measured' || this.#told.has(name)) return undefined;
    const successes = (this.#successes.get(name) ?? 0) + 1;
    this.#successes.set(name, successes);
    if (successes % this.limits.profileSamples !== 0) return undefined;
    const observedMs = observe()?.p99Ms;
    if (observedMs === undefined || observedMs <= latency.p99 * this.limits.profileDrift) {
      return undefined;
    }
    this.#told.add(name);
    return { observedMs, declaredMs: latency.p99 };
  }
}
