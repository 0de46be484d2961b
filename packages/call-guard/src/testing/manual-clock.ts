import { setImmediate as endOfTurn } from 'node:timers/promises';
import { type Clock, sleepBy } from '../clock.js';

/** A clock whose time moves only when it is told to. */
export interface ManualClock extends Clock {
  /**
   * Moves time on by `ms` and fires what becomes due, in order of time, then of setting. Before and
   * after each, everything that needs no time is let finish.
   */
  advance(ms: number): Promise<void>;
  /** How many alarms and sleeps are outstanding: zero proves that nothing was left behind. */
  pending(): number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/**
 * Time for tests.
 *
 * @param startMs wall-clock milliseconds at the start. Default: 2026-01-01T00:00:00Z
 * @example
 * const clock = manualClock()
 * const ledger = memoryLedger({ now: clock.wallMs })
 * const answer = guard.call(request, slowTool)
 * await clock.advance(1_000)
 */
export function manualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  const timers = new Set<Timer>();
  let elapsedMs = 0;
  let order = 0;

  const alarm: Clock['alarm'] = (ms, _keepsAlive, ring) => {
    order += 1;
    const timer: Timer = { at: elapsedMs + Math.max(0, ms), order, fire: ring };
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  const nextUntil = (until: number): Timer | undefined =>
    [...timers]
      .filter(({ at }) => at <= until)
      .sort((a, b) => a.at - b.at || a.order - b.order)
      .at(0);

  return {
    wallMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    alarm,
    sleep: sleepBy(alarm),
    async advance(ms) {
      const until = elapsedMs + ms;
      await endOfTurn();
      for (let timer = nextUntil(until); timer !== undefined; timer = nextUntil(until)) {
        timers.delete(timer);
        elapsedMs = timer.at;
        timer.fire();
        await endOfTurn();
      }
      elapsedMs = until;
    },
    pending: () => timers.size,
  };
}
