import { describe, expect, it } from 'vitest';
import { manualClock } from './manual-clock.js';

describe('a clock whose time the test moves', () => {
  it('stands still by itself, and moves wall and monotonic time alike', async () => {
    const clock = manualClock(5_000);
    expect([clock.wallMs(), clock.monotonicMs()]).toEqual([5_000, 0]);
    await clock.advance(250);
    expect([clock.wallMs(), clock.monotonicMs()]).toEqual([5_250, 250]);
  });

  it('fires in order of time, then of setting, each at its own time', async () => {
    const clock = manualClock();
    const fired: string[] = [];
    const at = (name: string) => () => void fired.push(`${name}@${clock.monotonicMs()}`);
    clock.alarm(20, true, at('c'));
    clock.alarm(10, false, at('a'));
    clock.alarm(10, true, at('b'));
    clock.alarm(31, true, at('d'));
    expect(clock.pending()).toBe(4);
    await clock.advance(30);
    expect(fired).toEqual(['a@10', 'b@10', 'c@20']);
    expect(clock.pending()).toBe(1);
  });

  it('fires what is set while it moves, when that becomes due', async () => {
    const clock = manualClock();
    const fired: number[] = [];
    const again = (): void => {
      fired.push(clock.monotonicMs());
      clock.alarm(10, true, again);
    };
    again();
    await clock.advance(35);
    expect(fired).toEqual([0, 10, 20, 30]);
    expect(clock.pending()).toBe(1);
  });

  it('lets promises settle between', async () => {
    const clock = manualClock();
    const slept: number[] = [];
    const work = (async () => {
      for (let i = 0; i < 3; i += 1) {
        await clock.sleep(10);
        slept.push(clock.monotonicMs());
      }
    })();
    await clock.advance(30);
    await work;
    expect(slept).toEqual([10, 20, 30]);
    expect(clock.pending()).toBe(0);
  });

  it('forgets what is cancelled, and a sleep ends with its signal', async () => {
    const clock = manualClock();
    const caller = new AbortController();
    const cancel = clock.alarm(10, true, () => expect.unreachable());
    cancel();
    cancel();
    const sleep = clock.sleep(10, caller.signal).catch((reason: unknown) => reason);
    caller.abort('enough');
    expect(await sleep).toBe('enough');
    await expect(clock.sleep(10, caller.signal)).rejects.toBe('enough');
    expect(clock.pending()).toBe(0);
    await clock.advance(10);
  });
});
