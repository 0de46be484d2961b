import { SetupError } from '@holdfast/tool-registry';
import { isRecord } from '../message/message.js';

/** The longest time that Node's timers can wait: what is longer ends at once. */
export const LONGEST_MS = 2_147_483_647;

/** What the SDKs let a caller say of one request. */
export interface CallOptions {
  readonly signal: AbortSignal | undefined;
  readonly onprogress: ((progress: unknown) => void) | undefined;
  /** How long the call may take in all, in milliseconds; undefined: the guard's own limit. */
  readonly totalMs: number | undefined;
  /** How long it may go on without progress, in milliseconds. */
  readonly idleMs: number | undefined;
  /** What else there is, for the SDK. */
  readonly others: Readonly<Record<string, unknown>>;
}

/**
 * Reads the SDK's options of a request. `timeout` is how long the call may take, its retries included; with
 * `resetTimeoutOnProgress` how long it may go on without progress, and then `maxTotalTimeout` is the rest. No limit is
 * `Infinity`.
 *
 * @throws SetupError `option_out_of_range`
 */
export function readCallOptions(given: unknown): CallOptions {
  const options: Readonly<Record<string, unknown>> = isRecord(given) ? given : {};
  const { signal, onprogress, timeout, maxTotalTimeout, resetTimeoutOnProgress, ...others } =
    options;
  const eachMs = duration('timeout', timeout);
  const totalMs = duration('maxTotalTimeout', maxTotalTimeout);
  const isIdle = resetTimeoutOnProgress === true;
  return {
    signal: signal instanceof AbortSignal ? signal : undefined,
    onprogress:
      typeof onprogress === 'function' ? (onprogress as (progress: unknown) => void) : undefined,
    totalMs: isIdle ? totalMs : least(eachMs, totalMs),
    idleMs: isIdle ? eachMs : undefined,
    others,
  };
}

function duration(field: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || Number.isNaN(value) || value <= 0) {
    throw new SetupError('option_out_of_range', [
      {
        field,
        reason: `${String(value)} is no time that a call could take`,
        fix: 'give milliseconds above 0; Infinity for no limit',
      },
    ]);
  }
  return Math.min(value, LONGEST_MS);
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** The SDK's options with a timeout that Node's timers can wait for. */
export function withinTimers(options: object): object {
  const timeout = 'timeout' in options ? options.timeout : undefined;
  return typeof timeout === 'number'
    ? { ...options, timeout: Math.min(timeout, LONGEST_MS) }
    : options;
}
