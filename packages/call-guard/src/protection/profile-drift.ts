import type { AnyToolEntry } from '@holdfast/tool-registry';
import type { Limits } from '../limits.js';

interface Watched {
  successes: number;
  isTold: boolean;
}

/**
 * Notices a tool whose observed 99th percentile is far over the declared one: its timeouts and its
 * admission are then wrong. Looks at each so many successes, and tells of each tool once.
 */
export class ProfileDrift {
  readonly #watched = new Map<string, Watched>();

  constructor(private readonly limits: Pick<Limits, 'profileDrift' | 'profileSamples'>) {}

  /**
   * After a success of the tool. Returns what drifted, in milliseconds, if it is to be told now.
   *
   * @param observedP99 in milliseconds; asked for only when it is looked at
   */
  look(
    { name, latency }: Pick<AnyToolEntry, 'name' | 'latency'>,
    observedP99: (tool: string) => number | undefined,
  ): { readonly observedMs: number; readonly declaredMs: number } | undefined {
    if (latency?.kind !== 'measured') return undefined;
    const tool = this.#of(name);
    tool.successes += 1;
    if (tool.isTold || tool.successes % this.limits.profileSamples !== 0) return undefined;
    const observedMs = observedP99(name);
    if (observedMs === undefined || observedMs <= latency.p99 * this.limits.profileDrift) {
      return undefined;
    }
    tool.isTold = true;
    return { observedMs, declaredMs: latency.p99 };
  }

  #of(name: string): Watched {
    const known = this.#watched.get(name);
    if (known !== undefined) return known;
    const made = { successes: 0, isTold: false };
    this.#watched.set(name, made);
    return made;
  }
}
