import { type Clock, currentCall, onAbort } from '@holdfast/call-guard';
import { refusalResult } from '../server/served-result.js';
import { type CallOptions, LONGEST_MS } from './call-options.js';

/** How long a caller waits for its call: until it gives up, or nothing has moved for too long. */
export class CallWait {
  // One for each call: the SDK listens for as long as the signal lives.
  readonly #controller = new AbortController();
  readonly #letGo: readonly (() => void)[];
  #cancelAlarm: (() => void) | undefined;
  #ended: 'idle' | 'given-up' | undefined;
  #reason: unknown;

  /** @throws the signal's reason where it is aborted already */
  constructor(
    private readonly options: CallOptions,
    private readonly clock: Clock,
  ) {
    const { signal } = options;
    signal?.throwIfAborted();
    const given = [signal, currentCall()?.signal];
    this.#letGo = given.map((one) => onAbort(one, () => this.#giveUp('given-up', one?.reason)));
    this.#restart();
  }

  /** What the SDK is to know; the time is ours to measure. */
  requestOptions(): object {
    const { onprogress, idleMs, others } = this.options;
    const isTold = onprogress !== undefined || idleMs !== undefined;
    return {
      ...others,
      signal: this.#controller.signal,
      timeout: LONGEST_MS,
      ...(isTold
        ? {
            onprogress: (progress: unknown) => {
              this.#restart();
              onprogress?.(progress);
            },
          }
        : {}),
    };
  }

  /**
   * What a call gives that ended with this error: a failure where nothing moved.
   *
   * @throws the error, or why its caller gave up
   */
  insteadOf(error: unknown, tool: string, isRead: boolean): unknown {
    switch (this.#ended) {
      case undefined:
        throw error;
      case 'given-up':
        throw this.#reason;
      case 'idle': {
        const afterMs = this.options.idleMs ?? 0;
        const details = { limit: 'idle', afterMs, stillRunning: true } as const;
        return refusalResult(tool, { kind: 'timed_out', details }, isRead ? 'none' : 'unknown');
      }
    }
  }

  /** Nothing of it is left. */
  end(): void {
    this.#cancelAlarm?.();
    for (const letGo of this.#letGo) letGo();
  }

  #restart(): void {
    const { idleMs } = this.options;
    this.#cancelAlarm?.();
    if (idleMs === undefined || this.#ended !== undefined) return;
    this.#cancelAlarm = this.clock.alarm(idleMs, true, () => this.#giveUp('idle', 'no progress'));
  }

  #giveUp(why: 'idle' | 'given-up', reason: unknown): void {
    this.#ended ??= why;
    this.#reason = reason;
    this.#controller.abort(reason);
  }
}
