import { AsyncLocalStorage } from 'node:async_hooks';
import type { EffectSeen } from './served-effect.js';

/** What a server's tool may know of the call that it serves. */
export interface GuardedRequest {
  /** The key that the caller gave the call; undefined where it gave none. */
  readonly idempotencyKey: string | undefined;
  /** Which try of the caller this is, from 1; undefined where it does not say. */
  readonly attempt: number | undefined;
  /** The wish behind the call, as the caller names it. */
  readonly intent: string | undefined;
  /** Aborted when the caller gives up, and when its time is over. */
  readonly signal: AbortSignal;
  /** Milliseconds until the caller does not wait any more; Infinity where it does not say. */
  readonly remainingMs: number;
  /**
   * Says what an error of this call did to the outside world, before it is thrown or returned. `none` lets the
   * caller, and this server under the same key, try again: say it only of what is certain.
   */
  states(effect: EffectSeen): void;
}

// Process-wide, so that the ESM and the CommonJS copy of this package see the same requests.
const KEY = Symbol.for('holdfast.guarded-request');
const shared = globalThis as { [KEY]?: AsyncLocalStorage<GuardedRequest> };
shared[KEY] ??= new AsyncLocalStorage<GuardedRequest>();
const storage: AsyncLocalStorage<GuardedRequest> = shared[KEY];

/**
 * The call that this code serves, inside a tool of a server that {@link honorGuard} was given; else undefined.
 *
 * @example
 * const call = guardedRequest()
 * await fetch(url, { signal: call?.signal, headers: { 'Idempotency-Key': call?.idempotencyKey ?? randomUUID() } })
 */
export function guardedRequest(): GuardedRequest | undefined {
  return storage.getStore();
}

/** Work inside of which {@link guardedRequest} is this one. */
export function withinRequest<T>(request: GuardedRequest, work: () => T): T {
  return storage.run(request, work);
}
