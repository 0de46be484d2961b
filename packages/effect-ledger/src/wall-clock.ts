import { setImmediate, setTimeout } from 'node:timers';

/**
 * The one reader of the wall clock in this package, and the one owner of its timers. Everything else
 * is handed what it needs.
 */

/** Wall-clock milliseconds. */
export function wallClock(): number {
  return Date.now();
}

/** Resolves after `ms` milliseconds. The timer keeps the program alive: somebody waits for a write. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Calls back once all that is ready in this turn of the event loop has run. */
export function atEndOfTurn(callback: () => void): void {
  setImmediate(callback);
}

/** Blocks the whole thread for `ms` milliseconds: for opening, when there is nothing to go on with. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
