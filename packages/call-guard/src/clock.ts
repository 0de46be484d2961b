import { Alarms, checkWait, type Timer } from './alarms.js';
import { onAbort } from './on-abort.js';

/** Time as the guard sees it. Everything that waits or measures takes one; tests give their own. */
export interface Clock {
  /** Wall-clock milliseconds. Steps when the machine's clock is set: for records, never for durations. */
  wallMs(): number;
  /** Milliseconds that never step: for durations. */
  monotonicMs(): number;
  /**
   * Resolves after `ms`; rejects with the signal's reason on abort, and for what is no number. Keeps the
   * process alive.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `ring` once after `ms`, unless cancelled by the returned function. It runs in no particular async
   * context and must not throw: let it settle what somebody awaits.
   * @param keepsAlive whether someone awaits it, so that the process must not end before
   * @param nowMs what `monotonicMs` shows, where the caller has just looked
   */
  alarm(ms: number, keepsAlive: boolean, ring: () => void, nowMs?: number): () => void;
}

/** The longest delay that a Node timer takes; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * The system's time, for one guard. This file is the one owner of clock, timer and chance globals in this
 * package.
 */
export function createSystemClock(): Clock {
  const monotonicMs = (): number => performance.now();
  const alarms = new Alarms({ nowMs: monotonicMs, start: startTimer });
  return {
    wallMs: () => Date.now(),
    monotonicMs,
    // Few and long: each has a timer of its own, which is gone when it ends.
    sleep: sleepBy(waitAlone),
    alarm: (ms, keepsAlive, ring, nowMs) => alarms.add(ms, keepsAlive, ring, nowMs),
  };
}

/** A sleep of whatever rings after a time. */
export function sleepBy(alarm: Clock['alarm']): Clock['sleep'] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const cancel = alarm(ms, true, () => {
        letGo();
        resolve();
      });
      const letGo = onAbort(signal, () => {
        cancel();
        reject(signal?.reason);
      });
    });
}

/** Node's timers end at 2^31 ms, so a longer time is waited for in parts. */
function waitAlone(ms: number, keepsAlive: boolean, ring: () => void): () => void {
  checkWait(ms);
  let left = Math.max(0, ms);
  let timer: Timer;
  const next = (): void => {
    const part = Math.min(left, LONGEST_TIMER_MS);
    left -= part;
    timer = startTimer(part, left > 0 ? next : ring);
    timer.keepAlive(keepsAlive);
  };
  next();
  return () => timer.cancel();
}

/** Whole milliseconds: a fraction would make it fire before its time. */
function startTimer(ms: number, fire: () => void): Timer {
  const timer = setTimeout(fire, Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
  return {
    keepAlive(keeps) {
      if (keeps) timer.ref();
      else timer.unref();
    },
    cancel: () => clearTimeout(timer),
  };
}

/** The system's chance, in [0, 1). */
export const systemRandom = (): number => Math.random();
