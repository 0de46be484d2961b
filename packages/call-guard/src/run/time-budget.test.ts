import type { Effect, Undo } from '@holdfast/effect-ledger';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.js';
import { Deadline } from './deadline.js';
import { TimeBudget } from './time-budget.js';

const ready = (tool: string): Undo => ({
  ...{ undo: 'ready', tool, args: new Uint8Array(), strength: 'strong', validUntil: 1 },
});

/** As much of a row as a budget looks at. */
function effect(state: Effect['state'], undo: Undo): Effect {
  return { state, undo } as Effect;
}

function budget(of: {
  readonly capMs?: number;
  readonly atMs?: number;
  readonly consumedMs?: number;
  readonly effects?: readonly Effect[];
}) {
  const clock = manualClock();
  const { consumedMs = 0, effects = [], capMs, atMs } = of;
  const deadline = new Deadline({
    consumedMs,
    clock,
    ...(capMs === undefined ? {} : { capMs }),
    ...(atMs === undefined ? {} : { atMs: clock.wallMs() + atMs }),
  });
  const expectedMs = (tool: string) => ({ unbook: 200, refund: 150 })[tool] ?? 1_000;
  return { clock, budget: new TimeBudget(deadline, { effects: () => effects, expectedMs }) };
}

describe('the time of a run', () => {
  it('is told with what is consumed, left and kept', async () => {
    const effects = [effect('succeeded', ready('unbook'))];
    const { clock, budget: time } = budget({ capMs: 10_000, consumedMs: 1_000, effects });
    time.noteModelTurn(500);
    await clock.advance(2_000);
    expect(time.explain()).toEqual({
      time: {
        capMs: 10_000,
        consumedMs: 3_000,
        leftMs: 7_000,
        reserves: { modelTurnMs: 500, compensationMs: 200 },
        spendableMs: 6_300,
      },
    });
    expect(time.reservedMs()).toBe(700);
  });

  it('that nothing bounds is told without a cap, and keeps nothing', () => {
    const effects = [effect('succeeded', ready('unbook'))];
    const { budget: time } = budget({ effects });
    time.noteModelTurn(500);
    expect(time.reservedMs()).toBe(0);
    expect(time.explain().time).toStrictEqual({
      consumedMs: 0,
      leftMs: Number.POSITIVE_INFINITY,
      reserves: { modelTurnMs: 500, compensationMs: 0 },
      spendableMs: Number.POSITIVE_INFINITY,
    });
  });

  it('with a hard end alone keeps the model turn, for no share of it can be told', () => {
    const { budget: time } = budget({
      atMs: 4_000,
      effects: [effect('succeeded', ready('unbook'))],
    });
    time.noteModelTurn(500);
    expect(time.reservedMs()).toBe(500);
    expect(time.explain().time).toMatchObject({ leftMs: 4_000, spendableMs: 3_500 });
  });

  it('is never less than nothing to spend', () => {
    const { budget: time } = budget({ capMs: 400 });
    time.noteModelTurn(500);
    expect(time.explain().time).toMatchObject({ leftMs: 400, spendableMs: 0 });
  });
});

describe('the reserve for compensations', () => {
  it('is what the undo of each standing success needs, and of nothing else', () => {
    const effects = [
      effect('succeeded', ready('unbook')),
      effect('succeeded', ready('refund')),
      effect('succeeded', { undo: 'none' }),
      effect('succeeded', { undo: 'invalid', reason: 'no id' }),
      effect('attempting', ready('unbook')),
      effect('unknown', ready('unbook')),
    ];
    expect(budget({ capMs: 10_000, effects }).budget.reservedMs()).toBe(350);
  });

  it('is three tenths of the deadline at most', () => {
    const effects = [effect('succeeded', ready('unbook'))];
    expect(budget({ capMs: 500, effects }).budget.reservedMs()).toBe(150);
  });
});

describe('the reserve for a model turn', () => {
  it('is what is typical: the first turn, moved by three tenths towards each later one', () => {
    const { budget: time } = budget({ capMs: 100_000 });
    expect(time.reservedMs()).toBe(0);
    time.noteModelTurn(1_000);
    expect(time.reservedMs()).toBe(1_000);
    time.noteModelTurn(2_000);
    expect(time.reservedMs()).toBe(1_300);
    time.noteModelTurn(300);
    expect(time.reservedMs()).toBe(1_000);
  });
});
