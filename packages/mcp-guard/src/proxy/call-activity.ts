import type { IdleClock } from '@holdfast/call-guard';

/** The signs of life of one call, over all its tries. */
export class CallActivity {
  #clock: IdleClock | undefined;
  readonly #pauses = new Map<symbol, (() => void) | undefined>();

  /** The clock of the try that begins. */
  watch(clock: IdleClock): void {
    this.#clock = clock;
    for (const pause of this.#pauses.keys()) this.#pauses.set(pause, clock.pause());
  }

  alive(): void {
    this.#clock?.alive();
  }

  /** The call waits for its user. Returns what is called when it goes on. */
  pause(): () => void {
    const pause = Symbol('pause');
    this.#pauses.set(pause, this.#clock?.pause());
    return () => {
      this.#pauses.get(pause)?.();
      this.#pauses.delete(pause);
    };
  }
}
