import type { Effect } from '@holdfast/effect-ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childDeadline, Deadline, shorter, type TimeLeft } from './deadline.js';
import { deadlineHeader, readDeadline } from './propagation.js';
import { TimeBudget } from './time-budget.js';

type Step =
  /** Work begins inside of the `inside`th work that is under way, with a share, a bound of its own, or both. */
  | {
      readonly do: 'begin';
      readonly inside: number;
      readonly ratio: number;
      readonly ownMs: number | undefined;
      readonly isElsewhere: boolean;
    }
  | { readonly do: 'end'; readonly which: number }
  | { readonly do: 'work'; readonly ms: number }
  /** The process dies and another takes the run over after a while. */
  | { readonly do: 'resume'; readonly downMs: number }
  | { readonly do: 'set-wall-clock'; readonly ms: number };

const ms = fc.integer({ min: 0, max: 4_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('begin' as const),
      inside: fc.nat(9),
      ratio: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
      ownMs: fc.option(ms, { nil: undefined }),
      isElsewhere: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('work' as const), ms }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resume' as const), downMs: fc.nat(1e9) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set-wall-clock' as const),
      ms: fc.integer({ min: -1e9, max: 1e9 }),
    }),
  },
);
const sure = { seed: 60, numRuns: 400 };

/** A tree of calls on clocks that a test moves, beside the time that its run really worked. */
function callTree(capMs: number) {
  const time = {
    monotonic: 17,
    wall: 1_000_000,
    monotonicMs: () => time.monotonic,
    wallMs: () => time.wall,
  };
  let deadline = new Deadline({ capMs, consumedMs: 0, clock: time });
  let worked = 0;
  /** What is under way, each with what it lies in; the run itself is the first. */
  let under: { readonly left: TimeLeft; readonly around: TimeLeft | undefined }[] = [
    { left: deadline, around: undefined },
  ];
  /** What a process gets that is asked with what is left: it counts on clocks of its own. */
  const elsewhere = (around: TimeLeft): TimeLeft => {
    const given = readDeadline(deadlineHeader(around.leftMs())) ?? Number.NaN;
    const began = time.monotonic;
    const its = { monotonicMs: () => 5 + time.monotonic - began, wallMs: () => 42 };
    return new Deadline({ capMs: given, consumedMs: 0, clock: its });
  };

  return {
    take(next: Step): void {
      switch (next.do) {
        case 'begin': {
          const around = under[next.inside % under.length]?.left ?? deadline;
          const share = childDeadline(
            next.isElsewhere ? elsewhere(around) : around,
            next.ratio,
            time,
          );
          const endsAt = time.monotonic + (next.ownMs ?? 0);
          const own = { leftMs: () => Math.max(0, endsAt - time.monotonic) };
          under.push({ left: next.ownMs === undefined ? share : shorter(share, own), around });
          return;
        }
        case 'end': {
          const which = 1 + (next.which % under.length);
          under = under.filter((_, i) => i !== which);
          return;
        }
        case 'work':
          worked += next.ms;
          time.monotonic += next.ms;
          time.wall += next.ms;
          return;
        case 'resume': {
          const consumedMs = deadline.consumedMs();
          time.wall += next.downMs;
          time.monotonic = next.downMs % 1_000;
          deadline = new Deadline({ capMs, consumedMs, clock: time });
          under = [{ left: deadline, around: undefined }];
          return;
        }
        case 'set-wall-clock':
          time.wall += next.ms;
      }
    },
    all: () => under.map(({ left, around }) => ({ left: left.leftMs(), around: around?.leftMs() })),
    /** Left of what is under way now, to be compared with the same a step later. */
    look: () => new Map(under.map(({ left }) => [left, left.leftMs()])),
    worked: () => worked,
    left: () => deadline.leftMs(),
    consumed: () => deadline.consumedMs(),
  };
}

describe('the deadlines of any tree of calls', () => {
  const run = {
    capMs: fc.integer({ min: 100, max: 60_000 }),
    steps: fc.array(step, { maxLength: 40 }),
  };

  it('are never longer than those around them, and never below nothing', () => {
    fc.assert(
      fc.property(run.capMs, run.steps, (capMs, steps) => {
        const tree = callTree(capMs);
        for (const next of steps) {
          tree.take(next);
          for (const { left, around = capMs } of tree.all()) {
            expect(left).toBeLessThanOrEqual(around);
            expect(left).toBeGreaterThanOrEqual(0);
          }
        }
      }),
      sure,
    );
  });

  it('are refilled by nothing: work that began or ended, another process, a wall clock that was set', () => {
    fc.assert(
      fc.property(run.capMs, run.steps, (capMs, steps) => {
        const tree = callTree(capMs);
        for (const next of steps) {
          const [before, leftBefore] = [tree.look(), tree.left()];
          tree.take(next);
          const passed = next.do === 'work' ? next.ms : 0;
          for (const [work, left] of tree.look()) {
            const was = before.get(work);
            if (was !== undefined) expect(left).toBeCloseTo(Math.max(0, was - passed), 6);
          }
          expect(tree.left()).toBeCloseTo(Math.max(0, leftBefore - passed), 6);
        }
      }),
      sure,
    );
  });

  it('count each moment of work once, whoever did it, and none in which nobody worked', () => {
    fc.assert(
      fc.property(run.capMs, run.steps, (capMs, steps) => {
        const tree = callTree(capMs);
        for (const next of steps) tree.take(next);
        expect(tree.consumed()).toBeCloseTo(tree.worked(), 6);
        expect(tree.left()).toBeCloseTo(Math.max(0, capMs - tree.worked()), 6);
      }),
      sure,
    );
  });
});

describe('the reserves of any run', () => {
  const move = fc.oneof(
    fc.record({ do: fc.constant('turn' as const), ms: fc.integer({ min: 1, max: 3_000 }) }),
    fc.record({
      do: fc.constant('call' as const),
      /** How much of what it may take the call takes. */
      share: fc.integer({ min: 0, max: 100 }),
      undoMs: fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: undefined }),
    }),
  );

  it('are left after a call that took all that it may, for the turn and the undo that follow it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 60_000 }), fc.array(move), (capMs, moves) => {
        let now = 0;
        const clock = { monotonicMs: () => now, wallMs: () => 0 };
        const effects: Effect[] = [];
        const budget = new TimeBudget(new Deadline({ capMs, consumedMs: 0, clock }), {
          effects: () => effects,
          expectedMs: Number,
        });
        for (const next of moves) {
          if (next.do === 'turn') {
            budget.noteModelTurn(next.ms);
            now += next.ms;
            continue;
          }
          const { reserves, spendableMs } = budget.explain().time;
          expect(reserves.modelTurnMs + reserves.compensationMs).toBe(budget.reservedMs());
          now += (spendableMs * next.share) / 100;
          if (spendableMs > 0) {
            expect(budget.deadline.leftMs()).toBeGreaterThanOrEqual(budget.reservedMs() - 1e-6);
          }
          if (next.undoMs === undefined) continue;
          const undo = { undo: 'ready', tool: String(next.undoMs) };
          effects.push({ state: 'succeeded', undo } as Effect);
          expect(budget.explain().time.reserves.compensationMs).toBeLessThanOrEqual(capMs * 0.3);
        }
      }),
      sure,
    );
  });
});
