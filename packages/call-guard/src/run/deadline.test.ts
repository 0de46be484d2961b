import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.js';
import { childDeadline, Deadline, shorter } from './deadline.js';

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
    let monotonic = 3_000;
    const clock = { wallMs: () => wall, monotonicMs: () => monotonic };
    const deadline = new Deadline({ capMs: 1_000, consumedMs: 0, clock });
    monotonic = 3_100;
    wall -= 3_600_000;
    expect(deadline.leftMs()).toBe(900);
    wall += 7_200_000;
    expect(deadline.leftMs()).toBe(900);
    // A monotonic clock that goes back is broken: it gives nothing back, and time goes on from there.
    monotonic = -1_000;
    expect(deadline.leftMs()).toBe(900);
    monotonic = -950;
    expect(deadline.leftMs()).toBe(850);
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

  it('beside another one leaves what the shorter of the two leaves', async () => {
    const clock = manualClock();
    const run = new Deadline({ capMs: 1_000, consumedMs: 0, clock });
    const call = { leftMs: () => 600 };
    const both = shorter(run, call);
    expect(both.leftMs()).toBe(600);
    await clock.advance(500);
    expect(both.leftMs()).toBe(500);
  });
});
