import { type Clock, onAbort } from '@holdfast/call-guard';

/** How long a served call may take: until its caller gives up, or its time is over. */
export class CallTime {
  readonly #controller = new AbortController();
  readonly #endsAt: number | undefined;
  readonly #cancelAlarm: (() => void) | undefined;
  readonly #letGo: () => void;
  /** Resolves when the time is over; never where nothing bounds it. */
  readonly over: Promise<'over'>;

  /**
   * @param leftMs what the caller says it waits; undefined: it does not say
   * @param given aborted when it gives up
   */
  constructor(
    leftMs: number | undefined,
    given: AbortSignal | undefined,
    private readonly clock: Clock,
  ) {
    this.#letGo = onAbort(given, () => this.#controller.abort(given?.reason));
    if (given?.aborted) this.#controller.abort(given.reason);
    this.#endsAt = leftMs === undefined ? undefined : clock.monotonicMs() + leftMs;
    let ring = (_: 'over'): void => {};
    this.over = new Promise((resolve) => {
      ring = resolve;
    });
    if (leftMs === undefined) return;
    this.#cancelAlarm = clock.alarm(leftMs, true, () => {
      ring('over');
      this.#controller.abort(new Error(`the caller waits ${leftMs} ms and no longer`));
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): number {
    return this.#endsAt === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.#endsAt - this.clock.monotonicMs());
  }

  /** Nothing of it is left. */
  end(): void {
    this.#cancelAlarm?.();
    this.#letGo();
  }
}
