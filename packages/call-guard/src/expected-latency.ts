import type { AnyToolEntry } from '@holdfast/tool-registry';
import type { Limits } from './limits.js';

/**
 * How long a tool needs, as its profile tells: its 99th percentile times the admission factor; with too
 * few samples, and without measurements, its ceiling.
 *
 * @returns milliseconds; 0 where the entry says nothing
 */
export function neededMs(
  { latency, timeoutMs }: Pick<AnyToolEntry, 'latency' | 'timeoutMs'>,
  { admissionFactor, profileSamples }: Pick<Limits, 'admissionFactor' | 'profileSamples'>,
): number {
  if (latency === undefined) return 0;
  if (latency.kind === 'assumed')
    return Math.min(latency.ceilingMs, timeoutMs ?? latency.ceilingMs);
  const byProfile = latency.p99 * admissionFactor;
  return latency.samples < profileSamples && timeoutMs !== undefined
    ? timeoutMs
    : Math.min(byProfile, timeoutMs ?? byProfile);
}

/** How long a try usually takes, in milliseconds; 0 where the entry says nothing. */
export function typicalMs({ latency }: Pick<AnyToolEntry, 'latency'>): number {
  if (latency === undefined) return 0;
  return latency.kind === 'measured' ? latency.p50 : 0;
}
