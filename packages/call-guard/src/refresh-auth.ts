import { AsyncResource } from 'node:async_hooks';
import type { Clock } from './clock.js';

/** Whose credentials were not accepted. */
export interface AuthFailure {
  readonly tool: string;
  readonly resourceGroup: string;
  readonly status?: number;
}

/** Renews the credentials that the tools of a resource group use; rejects if it cannot. */
export type RefreshAuth = (failure: AuthFailure) => Promise<void>;

/** A call that was denied. */
export interface DeniedCall {
  /** Tells it from other calls; each gets one more try at most. */
  readonly call: object;
  /** What `ticketOf` gave when its try began. */
  readonly ticket: number;
  readonly failure: AuthFailure;
  /** Aborted when its caller gives up. */
  readonly signal?: AbortSignal;
  /** Told if the credentials were renewed for it: for those who waited along nobody is told. */
  onRenewed(error?: unknown): void;
}

interface Group {
  /** How often the credentials were renewed. */
  renewals: number;
  /** Whether anything has succeeded with those of now. */
  proven: boolean;
  /** Until then a denial is final; monotonic milliseconds. Absent while none is. */
  finalUntilMs: number | undefined;
  /** Resolves to whether it worked. */
  underWay: Promise<boolean> | undefined;
}

/**
 * Renews expired credentials once for all calls of a resource group that wait for them. Each of these is
 * tried once more. If the new ones are not accepted either, or cannot be had, denials are final for
 * everyone, until a call succeeds or the cool time is over.
 */
export class AuthRefresh {
  readonly #hook: RefreshAuth | undefined;
  readonly #groups = new Map<string, Group>();
  readonly #triedAgain = new WeakSet<object>();

  constructor(
    hook: RefreshAuth | undefined,
    private readonly setting: {
      readonly clock: Clock;
      readonly limits: { readonly authRefreshMs: number; readonly authCoolMs: number };
    },
  ) {
    // Its requests are the guard's and not those of the tool that it was called for.
    this.#hook = hook === undefined ? undefined : AsyncResource.bind(hook);
  }

  /** Which credentials a try that begins now uses. */
  ticketOf(resourceGroup: string): number {
    return this.#groups.get(resourceGroup)?.renewals ?? 0;
  }

  /** A try with these credentials succeeded. */
  worked(resourceGroup: string, ticket: number): void {
    const group = this.#groups.get(resourceGroup);
    if (group === undefined || ticket !== group.renewals) return;
    group.proven = true;
    group.finalUntilMs = undefined;
  }

  /** Whether a denied call may be tried once more; waits while credentials are being renewed. */
  async mayTryAgain(denied: DeniedCall): Promise<boolean> {
    const hook = this.#hook;
    if (hook === undefined || this.#triedAgain.has(denied.call)) return false;
    const group = this.#groupOf(denied.failure.resourceGroup);
    const mayTry = await this.#renewed(group, hook, denied);
    if (mayTry) this.#triedAgain.add(denied.call);
    return mayTry;
  }

  #renewed(group: Group, hook: RefreshAuth, denied: DeniedCall): Promise<boolean> {
    if (group.underWay === undefined) {
      const { finalUntilMs, proven, renewals } = group;
      const isFinal = finalUntilMs !== undefined && this.setting.clock.monotonicMs() < finalUntilMs;
      if (isFinal) return Promise.resolve(false);
      // Denied with what was replaced meanwhile.
      if (denied.ticket < renewals) return Promise.resolve(true);
      if (renewals > 0 && !proven && finalUntilMs === undefined) {
        // Those that were just renewed are not accepted either.
        this.#cool(group);
        return Promise.resolve(false);
      }
      group.underWay = this.#renew(group, hook, denied);
    }
    return unlessAborted(group.underWay, denied.signal);
  }

  async #renew(group: Group, hook: RefreshAuth, denied: DeniedCall): Promise<boolean> {
    try {
      await this.#inTime(async () => hook(denied.failure));
      group.renewals += 1;
      group.proven = false;
      group.finalUntilMs = undefined;
      denied.onRenewed();
      return true;
    } catch (error) {
      this.#cool(group);
      denied.onRenewed(error);
      return false;
    } finally {
      group.underWay = undefined;
    }
  }

  #cool(group: Group): void {
    const { clock, limits } = this.setting;
    group.finalUntilMs = clock.monotonicMs() + limits.authCoolMs;
  }

  /** A hook that never ends must not hold up everyone. */
  #inTime(work: () => Promise<void>): Promise<void> {
    const { clock, limits } = this.setting;
    const ms = limits.authRefreshMs;
    return new Promise((resolve, reject) => {
      const stop = clock.alarm(ms, true, () =>
        reject(new Error(`refreshAuth did not end within ${ms} ms`)),
      );
      void work().then(resolve, reject).finally(stop);
    });
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group: Group = {
      renewals: 0,
      proven: false,
      finalUntilMs: undefined,
      underWay: undefined,
    };
    this.#groups.set(name, group);
    return group;
  }
}

/** The answer, or no as soon as the caller gives up. */
function unlessAborted(
  answer: Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (signal === undefined) return answer;
  return new Promise((resolve) => {
    const end = (mayTry: boolean): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(mayTry);
    };
    const onAbort = (): void => end(false);
    if (signal.aborted) return end(false);
    signal.addEventListener('abort', onAbort, { once: true });
    answer.then(end, () => end(false));
  });
}
