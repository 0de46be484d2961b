import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Clock } from '@holdfast/call-guard';

/** The longest wait that costs no time: polls and back-offs are shorter, patience is longer. */
const SHORT_MS = 100;

/**
 * A clock whose short waits cost no time: such a sleep moves it on by its length and ends with the next
 * turn of the event loop. A longer one ends when so much time has passed otherwise. Alarms never ring;
 * what needs them takes the system's clock.
 */
export interface TestClock extends Clock {
  /** Lets time pass without a wait: what a lease is over by. */
  pass(ms: number): void;
}

export function testClock(startMs = Date.UTC(2026, 0, 1)): TestClock {
  let elapsedMs = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  const pass = (ms: number): void => {
    elapsedMs += ms;
    for (const sleeper of sleepers) if (sleeper.until <= elapsedMs) sleeper.wake();
  };
  return {
    wallMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    pass,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms <= SHORT_MS) {
        await endOfTurn();
        signal?.throwIfAborted();
        pass(ms);
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const sleeper = { until: elapsedMs + ms, wake: () => end(resolve) };
        const abort = (): void => end(() => reject(signal?.reason));
        const end = (settle: () => void): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          settle();
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
    alarm: () => () => {},
  };
}
