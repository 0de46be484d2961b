import { describe, expect, it } from 'vitest';
import { Alarms } from './alarms.js';

/** Alarms on timers that the test moves; `timers` says how many were started. */
function made() {
  let now = 0;
  let timers = 0;
  let pending: { at: number; fire: () => void; keeps: boolean } | undefined;
  const alarms = new Alarms({
    nowMs: () => now,
    start(ms, fire) {
      timers += 1;
      const timer = { at: now + ms, fire, keeps: true };
      pending = timer;
      return {
        keepAlive: (keeps) => {
          timer.keeps = keeps;
        },
        cancel: () => {
          if (pending === timer) pending = undefined;
        },
      };
    },
  });
  const rang: string[] = [];
  return {
    rang,
    set: (name: string, ms: number, keepsAlive = true) =>
      alarms.add(ms, keepsAlive, () => rang.push(`${name} at ${now}`)),
    ring: (ms: number, ring: () => void) => alarms.add(ms, true, ring),
    moveTo(moment: number) {
      while (pending !== undefined && pending.at <= moment) {
        const { at, fire } = pending;
        now = at;
        pending = undefined;
        fire();
      }
      now = moment;
    },
    timers: () => timers,
    keepsAlive: () => pending?.keeps ?? false,
  };
}

describe('alarms', () => {
  it('ring at their times, whatever the order in which they were set', () => {
    const { set, moveTo, rang } = made();
    set('late', 30);
    set('soon', 10);
    set('next', 20);
    moveTo(100);
    expect(rang).toEqual(['soon at 10', 'next at 20', 'late at 30']);
  });

  it('share a timer: those that are cancelled in time start none', () => {
    const { set, timers, moveTo, rang } = made();
    for (let call = 0; call < 100; call += 1) {
      moveTo(call);
      set('call', 1_000)();
    }
    expect(timers()).toBe(1);
    moveTo(5_000);
    expect([timers(), rang]).toEqual([1, []]);
  });

  it('ring after one that was cancelled before them', () => {
    const { set, moveTo, rang } = made();
    const cancel = set('first', 10);
    set('second', 15);
    cancel();
    moveTo(100);
    expect(rang).toEqual(['second at 15']);
  });

  it('keep the process alive only as long as somebody awaits one', () => {
    const { set, keepsAlive } = made();
    set('late window', 50, false);
    expect(keepsAlive()).toBe(false);
    const cancel = set('call', 100);
    expect(keepsAlive()).toBe(true);
    cancel();
    cancel();
    expect(keepsAlive()).toBe(false);
  });

  it('are cancelled also by one that is due with them', () => {
    const { ring, set, moveTo, rang } = made();
    let cancel = (): void => {};
    ring(10, () => cancel());
    cancel = set('second', 10);
    moveTo(100);
    expect(rang).toEqual([]);
  });
});
