import { AsyncLocalStorage } from 'node:async_hooks';
import type { EffectKey } from '@holdfast/effect-ledger';
import type { RequestWatch } from './request-watch.js';
import type { TimeLeft } from './run/deadline.js';
import type { Run } from './run/run.js';

/** What a tool's own code may ask for while it runs. */
export interface CallContext {
  readonly runId: string;
  readonly intentId: string;
  readonly tenant: string;
  /** The name of the tool. */
  readonly tool: string;
  readonly callId: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Undefined for reads. Reading it counts as sending it. */
  readonly idempotencyKey: EffectKey | undefined;
  /** Arguments after repairs and before the schema's transforms: what a tool with a schema of its own takes. */
  readonly input: unknown;
  /**
   * The arguments of a call with an effect, as JSON text, the way they were written when the effect was
   * declared: the same on each try under one key, by whomever it is made. What makes the request itself
   * sends them so.
   */
  readonly inputText?: string | undefined;
  /** Aborted when the attempt is given up: at once for a read, after the late window for a write. */
  readonly signal: AbortSignal;
  /**
   * Calls `listener` with the reason when the attempt is given up, as the signal's event would; at once where
   * it has been. Lets go of it by the returned function. For whoever needs no `AbortSignal`: to make one takes
   * longer than the rest of most calls.
   */
  onGivenUp(listener: (reason: unknown) => void): () => void;
  /** Milliseconds that this attempt has left; Infinity without a timeout. */
  readonly remainingMs: number;
  /** What a request to the other side should carry. Calling it counts as sending the key. */
  headers(): Record<string, string>;
  /**
   * Does a named part of the work once. The tool is entered again from its first line after a pause, a
   * retry or a crash; a step that is done then gives its result without running. What stands outside of
   * steps runs at each entry.
   *
   * A step is written down before it runs, under a key of its own, which `work` and the code in it see as
   * theirs. One whose outcome is unknown runs again only where its key protects it; otherwise the call ends
   * as `outcome_unknown`. In a read steps just run. Results are kept as the tool's are: up to 64 KiB.
   *
   * @param name unique within the call, 1 to 200 characters, the same at each entry
   * @throws SetupError `option_out_of_range` for a name that is none, or that was used in this try
   * @example const draft = await currentCall()?.step('draft', () => createDraft(to))
   */
  step<T>(name: string, work: (step: CallContext) => Promise<T> | T): Promise<T>;
}

/** What the guard notes about the requests of an attempt. */
export interface RequestNotes {
  keyCarried: boolean;
  /** Requests of `guardedFetch` that may have reached the other side. */
  requestsSent: number;
  /** Requests of `guardedFetch` that are proven not to have left. */
  requestsRefused: number;
}

export interface Scope {
  readonly run: Run;
  readonly call?: CallContext;
  readonly notes?: RequestNotes;
  /** Has what watches the requests of this code, made when it is asked for. */
  readonly watched?: { readonly requests: RequestWatch };
  /** Wishes whose tools this code runs in, outermost first. */
  readonly wishes?: readonly string[];
  /** What bounds the work inside of a call; absent outside of one. */
  readonly time?: TimeLeft;
  /** Whether the call that this code runs in may be tried again as a whole. */
  readonly insideRetries?: boolean;
}

// Process-wide, so that the ESM and the CommonJS copy of this package see the same calls.
const KEY = Symbol.for('holdfast.call-scope');
const shared = globalThis as { [KEY]?: AsyncLocalStorage<Scope> };
shared[KEY] ??= new AsyncLocalStorage<Scope>();
const storage: AsyncLocalStorage<Scope> = shared[KEY];

/** The call that this code runs in, or undefined outside of a guarded tool. */
export function currentCall(): CallContext | undefined {
  return storage.getStore()?.call;
}

/** The run that this code runs in, inside `inRun` or a guarded tool. */
export function currentRun(): Run | undefined {
  return storage.getStore()?.run;
}

export function currentNotes(): RequestNotes | undefined {
  return storage.getStore()?.notes;
}

/** What watches the requests of this code; undefined outside of a guarded tool. */
export function currentRequests(): RequestWatch | undefined {
  return storage.getStore()?.watched?.requests;
}

/** The wishes under way around this code: an equal call inside one of them would wait for itself. */
export function currentWishes(): readonly string[] {
  return storage.getStore()?.wishes ?? [];
}

/** What bounds this code, where a call of the run encloses it. */
export function currentTime(): TimeLeft | undefined {
  return storage.getStore()?.time;
}

/** Whether a call around this code may be tried again as a whole. */
export function isInsideRetries(): boolean {
  return storage.getStore()?.insideRetries ?? false;
}

export function withScope<A extends unknown[], T>(
  scope: Scope,
  work: (...args: A) => T,
  ...args: A
): T {
  return storage.run(scope, work, ...args);
}

/** Work inside of a call, for which something of its scope is another. */
export function insideScope<T>(change: Pick<Scope, 'call' | 'notes'>, work: () => T): T {
  const around = storage.getStore();
  if (around === undefined) throw new TypeError('no call encloses this work');
  return storage.run({ ...around, ...change }, work);
}
