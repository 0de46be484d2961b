import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSystemClock } from './clock.js';

const clock = createSystemClock();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('waits of the system`s clock', () => {
  it('RS-18: end when they should, beyond the longest timer that Node has too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.integer({ min: 1, max: 1_000 }),
          fc.integer({ min: 2 ** 31 - 2, max: 2 ** 34 }),
        ),
        async (ms) => {
          let rang = false;
          clock.alarm(ms, true, () => {
            rang = true;
          });
          await vi.advanceTimersByTimeAsync(ms - 1);
          expect(rang).toBe(false);
          await vi.advanceTimersByTimeAsync(1);
          expect(rang).toBe(true);
        },
      ),
      { seed: 31, numRuns: 30 },
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it('RS-18: of no number are refused instead of ending at once', async () => {
    await expect(clock.sleep(Number.NaN)).rejects.toThrow(/NaN/);
    expect(() => clock.alarm(Number.NaN, true, () => {})).toThrow(RangeError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('RS-21: end with the reason of whoever gives up, and leave nothing behind', async () => {
    const caller = new AbortController();
    const reason = new Error('enough');
    const waiting = clock.sleep(60_000, caller.signal);
    caller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(clock.sleep(1, caller.signal)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  it('that are cancelled never ring', async () => {
    let rang = false;
    clock.alarm(2 ** 33, true, () => {
      rang = true;
    })();
    await vi.advanceTimersByTimeAsync(2 ** 33);
    expect(rang).toBe(false);
  });
});
