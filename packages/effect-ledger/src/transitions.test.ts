import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectState, Settlement } from './effect.js';
import { effectKey } from './effect-key.js';
import { owner, result, wish } from './testing/worker.js';
import { nextState, type Transition } from './transitions.js';

const by = effectKey({ ...wish(), generation: 0 });
const settlements: readonly Settlement[] = [
  { settled: 'open' },
  { settled: 'compensating', by },
  { settled: 'compensated', by },
  { settled: 'manual', reason: 'no undo' },
];
const success = (settlement: Settlement): EffectState => ({
  state: 'succeeded',
  result: result(),
  undo: { undo: 'none' },
  settlement,
});
const failed: EffectState = { state: 'failed', failureKind: 'business_error' };
const unknown: EffectState = { state: 'unknown', since: 1, reason: 'timed out' };
const states: readonly EffectState[] = [
  { state: 'attempting', owner: owner('ada') },
  { state: 'suspended', owner: owner('ada') },
  failed,
  unknown,
  ...settlements.map(success),
];
const evidence = { by: 'probe' } as const;
const unknownNow: Transition = { to: 'unknown', since: 2, reason: 'transport lost', evidence };
const moves: readonly Transition[] = [
  ...(['retry', 'resumed', 'resend', 'probe-absent'] as const).map(
    (why): Transition => ({ to: 'attempting', why, owner: owner('bob') }),
  ),
  { to: 'succeeded', result: result('new'), undo: { undo: 'none' }, evidence },
  { to: 'failed', failureKind: 'rejected_by_user', evidence },
  unknownNow,
  { to: 'suspended' },
  ...settlements.map((settlement): Transition => ({ to: 'settled', settlement, evidence })),
];
const stateName = (state: EffectState) =>
  state.state === 'succeeded' ? `succeeded/${state.settlement.settled}` : state.state;
const moveName = (move: Transition) => {
  if (move.to === 'attempting') return `${move.to}/${move.why}`;
  return move.to === 'settled' ? `${move.to}/${move.settlement.settled}` : move.to;
};

/** The whole law as a list. What is not in it is forbidden. */
const legal: Readonly<Record<string, readonly string[]>> = {
  attempting: ['succeeded', 'failed', 'unknown', 'suspended'],
  suspended: ['attempting/resumed', 'succeeded', 'failed', 'unknown'],
  failed: ['attempting/retry'],
  unknown: ['attempting/resend', 'attempting/probe-absent', 'succeeded', 'failed'],
  'succeeded/open': ['settled/compensating', 'settled/manual'],
  'succeeded/compensating': ['settled/compensated', 'settled/manual'],
  'succeeded/compensated': [],
  'succeeded/manual': ['settled/open', 'settled/compensated'],
};

describe('the law of transitions', () => {
  for (const state of states) {
    it(`lets ${stateName(state)} become exactly what it may`, () => {
      const allowed = moves.filter((move) => !('illegal' in nextState(state, move)));
      expect(allowed.map(moveName)).toEqual(legal[stateName(state)]);
    });
  }

  it('never leads from a state to itself', () => {
    for (const state of states) {
      for (const move of moves) {
        const next = nextState(state, move);
        if (!('illegal' in next)) expect(stateName(next)).not.toBe(stateName(state));
      }
    }
  });

  it.each<[EffectState, Transition, string]>([
    [unknown, { to: 'suspended' }, 'unknown may not become suspended'],
    [failed, unknownNow, 'failed may not become unknown'],
    [
      success({ settled: 'open' }),
      { to: 'attempting', why: 'retry', owner: owner('bob') },
      'succeeded may not become attempting because of retry',
    ],
    [
      failed,
      { to: 'settled', settlement: { settled: 'open' }, evidence },
      'failed has no settlement',
    ],
    [
      success({ settled: 'open' }),
      { to: 'settled', settlement: { settled: 'compensated', by }, evidence },
      'open may not become compensated',
    ],
  ])('says what it forbids, and why: %#', (from, move, illegal) => {
    expect(nextState(from, move)).toEqual({ illegal });
  });

  it('writes down what a move brings, and nothing of the state before', () => {
    const attempting: EffectState = { state: 'attempting', owner: owner('ada') };
    const undo = { undo: 'none' } as const;
    expect(nextState(unknown, { to: 'succeeded', result: result('new'), undo, evidence })).toEqual({
      state: 'succeeded',
      result: result('new'),
      undo,
      settlement: { settled: 'open' },
    });
    expect(nextState(unknown, { to: 'failed', failureKind: 'timed_out', evidence })).toEqual({
      state: 'failed',
      failureKind: 'timed_out',
    });
    expect(nextState(attempting, unknownNow)).toEqual({
      state: 'unknown',
      since: 2,
      reason: 'transport lost',
    });
  });

  it('keeps the owner of what is suspended, and gives what is resumed to another', () => {
    const waits = nextState({ state: 'attempting', owner: owner('ada') }, { to: 'suspended' });
    expect(waits).toEqual({ state: 'suspended', owner: owner('ada') });
    const resumed: Transition = { to: 'attempting', why: 'resumed', owner: owner('bob') };
    expect(nextState(waits as EffectState, resumed)).toEqual({
      state: 'attempting',
      owner: owner('bob'),
    });
  });

  it('keeps result and undo when a success is settled', () => {
    const done = success({ settled: 'open' });
    const settlement = { settled: 'manual', reason: 'no undo' } as const;
    expect(nextState(done, { to: 'settled', settlement, evidence })).toEqual({
      ...done,
      settlement,
    });
  });

  it('lets nothing out of unknown into attempting but a resend or a proof of absence, and nothing out of a success', () => {
    const walk = fc.array(fc.constantFrom(...moves), { maxLength: 30 });
    fc.assert(
      fc.property(walk, (steps) => {
        let state: EffectState = { state: 'attempting', owner: owner('ada') };
        for (const move of steps) {
          const next = nextState(state, move);
          if ('illegal' in next) continue;
          if (state.state === 'succeeded') expect(next.state).toBe('succeeded');
          if (state.state === 'unknown' && move.to === 'attempting') {
            expect(['resend', 'probe-absent']).toContain(move.why);
          }
          state = next;
        }
      }),
      { seed: 31 },
    );
  });
});
