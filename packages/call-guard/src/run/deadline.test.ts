import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.js';
import { childDeadline, Deadline, shorter, type TimeLeft } from './deadline.js';

describe('a deadline', () => {
  it('counts down what its run consumes, and never below nothing', async () => {
    const clock = manualClock();
    const deadline = new Deadline({ capMs: 1_000, consumedMs: 300, clock });
    expect(deadline.leftMs()).toBe(700);
    await clock.advance(600);
    expect(deadline.leftMs()).toBe(100);
    expect(deadline.consumedMs()).toBe(900);
    await clock.advance(600);
    expect(deadline.leftMs()).toBe(0);
  });

  it('without a cap only counts', async () => {
    const clock = manualClock();
    const deadline = new Deadline({ consumedMs: 0, clock });
    await clock.advance(50);
    expect([deadline.isBounded, deadline.leftMs(), deadline.consumedMs()]).toEqual([
      false,
      Number.POSITIVE_INFINITY,
      50,
    ]);
  });

  it('may have a hard end beside it, which no waiting moves', async () => {
    const clock = manualClock();
    const atMs = clock.wallMs() + 500;
    const deadline = new Deadline({ capMs: 1_000, atMs, consumedMs: 0, clock });
    expect(deadline.leftMs()).toBe(500);
    await clock.advance(501);
    expect(deadline.leftMs()).toBe(0);
  });

  it('RS-43: does not move with the wall clock', () => {
    let wall = 5_000;
    let monotonic = 0;
    const clock = { wallMs: () => wall, monotonicMs: () => monotonic };
    const deadline = new Deadline({ capMs: 1_000, consumedMs: 0, clock });
    monotonic = 100;
    wall -= 3_600_000;
    expect(deadline.leftMs()).toBe(900);
    wall += 7_200_000;
    expect(deadline.leftMs()).toBe(900);
    // A monotonic clock that goes back is broken, and gives nothing back.
    monotonic = -1_000;
    expect(deadline.leftMs()).toBe(1_000);
  });

  it('of work inside is a share of what is left, and an unspent share stays the caller`s', async () => {
    const clock = manualClock();
    const run = new Deadline({ capMs: 1_000, consumedMs: 0, clock });
    const child = childDeadline(run, 0.5, clock);
    expect(child.leftMs()).toBe(500);
    await clock.advance(400);
    expect([child.leftMs(), run.leftMs()]).toEqual([100, 600]);
    await clock.advance(400);
    expect([child.leftMs(), run.leftMs()]).toEqual([0, 200]);
  });

  it('is never longer than any around it, whatever tree of calls it lies in', () => {
    const step = fc.record({
      ratio: fc.double({ min: 0, max: 1, noNaN: true }),
      passes: fc.integer({ min: 0, max: 10_000 }),
      own: fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 12 }),
        fc.integer({ min: 100, max: 1e6 }),
        (tree, capMs) => {
          let now = 0;
          const clock = { monotonicMs: () => now, wallMs: () => 0 };
          const around: TimeLeft[] = [new Deadline({ capMs, consumedMs: 0, clock })];
          for (const { ratio, passes, own } of tree) {
            const parent = around.at(-1);
            if (parent === undefined) throw new Error('no parent');
            const child = childDeadline(parent, ratio, clock);
            const endsAt = own === undefined ? undefined : now + own;
            around.push(
              endsAt === undefined
                ? child
                : shorter(child, { leftMs: () => Math.max(0, endsAt - now) }),
            );
            now += passes;
            const left = around.map((one) => one.leftMs());
            for (let i = 1; i < left.length; i += 1) {
              expect(left[i]).toBeLessThanOrEqual(left[i - 1] ?? Number.NaN);
              expect(left[i]).toBeGreaterThanOrEqual(0);
            }
          }
        },
      ),
    );
  });
});
