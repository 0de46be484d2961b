import type { Clock } from '../clock.js';

/** How an adapter that can see signs of life of a call tells the gate of them. */
export interface IdleClock {
  /** There was one: the limit begins anew. */
  alive(): void;
  /** It waits for somebody else. Time does not count until the returned function is called. */
  pause(): () => void;
}

/** Ends a wait that is silent for too long: `timeouts.idle` of an entry. */
export class IdleWatch implements IdleClock {
  #cancelAlarm: () => void = () => {};
  #pauses = 0;
  #isOver = false;

  /** @param onIdle called once, when nothing was heard for `idleMs` */
  constructor(
    readonly idleMs: number,
    private readonly clock: Pick<Clock, 'alarm'>,
    private readonly onIdle: () => void,
  ) {
    this.#begin();
  }

  alive(): void {
    if (this.#pauses === 0) this.#begin();
  }

  pause(): () => void {
    this.#pauses += 1;
    this.#cancelAlarm();
    let isPaused = true;
    return () => {
      if (!isPaused) return;
      isPaused = false;
      this.#pauses -= 1;
      this.alive();
    };
  }

  /** Nobody waits any more. */
  end(): void {
    this.#isOver = true;
    this.#cancelAlarm();
  }

  #begin(): void {
    this.#cancelAlarm();
    if (this.#isOver) return;
    this.#cancelAlarm = this.clock.alarm(this.idleMs, true, this.onIdle);
  }
}
