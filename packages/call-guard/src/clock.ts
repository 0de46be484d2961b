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
   * Calls `ring` once after `ms`, unless cancelled by the returned function.
   * @param keepsAlive whether someone awaits it, so that the process must not end before
   */
  alarm(ms: number, keepsAlive: boolean, ring: () => void): () => void;
}

/** The longest delay that a Node timer takes; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The system's time. This file is the one owner of clock, timer and chance globals in this package. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: sleepBy(startTimer),
  alarm: startTimer,
};

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
function startTimer(ms: number, keepsAlive: boolean, ring: () => void): () => void {
  // Node takes it for the shortest time there is.
  if (Number.isNaN(ms)) throw new RangeError('a wait of NaN milliseconds has no end');
  let left = Math.max(0, ms);
  let timer: NodeJS.Timeout;
  const next = (): void => {
    const part = Math.min(left, LONGEST_TIMER_MS);
    left -= part;
    timer = setTimeout(left > 0 ? next : ring, part);
    if (!keepsAlive) timer.unref();
  };
  next();
  return () => clearTimeout(timer);
}

/** The system's chance, in [0, 1). */
export const systemRandom = (): number => Math.random();
