import { describe, expect, it } from 'vitest';
import { actionDigest, LoopGuard, resultDigest } from './loop-guard.js';

const look = actionDigest('look', { at: 'x' });
const seen = (guard: LoopGuard, result: unknown, messageId?: string): number => {
  guard.observe(look, resultDigest(result), messageId, undefined);
  return guard.repeatsOf(look);
};

describe('the loop guard', () => {
  it('counts equal results of the same action', () => {
    const guard = new LoopGuard();
    expect(guard.repeatsOf(look)).toBe(0);
    expect([seen(guard, 'a'), seen(guard, 'a'), seen(guard, 'a')]).toEqual([1, 2, 3]);
  });

  it('RS-58: begins anew with a changed result', () => {
    const guard = new LoopGuard();
    expect([seen(guard, 'a'), seen(guard, 'a'), seen(guard, 'b'), seen(guard, 'b')]).toEqual([
      1, 2, 1, 2,
    ]);
  });

  it('RS-58: takes equal calls of one message as one observation', () => {
    const guard = new LoopGuard();
    expect([seen(guard, 'a', 'm1'), seen(guard, 'a', 'm1'), seen(guard, 'a', 'm2')]).toEqual([
      1, 1, 2,
    ]);
  });

  it('knows an action by its tool and its arguments, in whatever order', () => {
    expect(actionDigest('t', { a: 1, b: 2 })).toEqual(actionDigest('t', { b: 2, a: 1 }));
    expect(actionDigest('t', { a: 1 })).not.toEqual(actionDigest('t', { a: 2 }));
    expect(actionDigest('t', {})).not.toEqual(actionDigest('u', {}));
    // Without a canonical form, and without any.
    expect(actionDigest('t', { n: Number.NaN })).toEqual(actionDigest('t', { n: Number.NaN }));
    expect(actionDigest('t', 1n)).not.toEqual(actionDigest('t', 2n));
  });

  it('remembers a bounded number of actions, the least recent goes first', () => {
    const guard = new LoopGuard();
    seen(guard, 'a');
    for (let i = 0; i < 255; i += 1) {
      guard.observe(actionDigest('other', i), resultDigest('r'), undefined, undefined);
    }
    expect(guard.repeatsOf(look)).toBe(1);
    guard.observe(actionDigest('other', 'one more'), resultDigest('r'), undefined, undefined);
    expect(guard.repeatsOf(look)).toBe(0);
    // What is used again begins anew.
    expect([seen(guard, 'r'), seen(guard, 'r')]).toEqual([1, 2]);
  });

  it('forgets by use and not by age, and nothing before it has to', () => {
    const guard = new LoopGuard();
    const other = (i: number): number => guard.repeatsOf(actionDigest('other', i));
    const seeOther = (from: number, to: number): void => {
      for (let i = from; i < to; i += 1) {
        guard.observe(actionDigest('other', i), resultDigest('r'), undefined, undefined);
      }
    };
    seen(guard, 'a');
    seeOther(0, 255);
    seen(guard, 'a');
    seeOther(255, 509);
    expect([other(253), other(254), other(255)]).toEqual([0, 1, 1]);
    expect(guard.repeatsOf(look)).toBe(2);
    seeOther(509, 511);
    expect([other(254), guard.repeatsOf(look), other(255)]).toEqual([0, 0, 1]);
  });

  it('knows when an action ended last, where it is told', () => {
    const guard = new LoopGuard();
    guard.observe(look, resultDigest('a'), undefined, 7);
    expect(guard.lastAt(look)).toBe(7);
    guard.observe(look, resultDigest('a'), undefined, undefined);
    expect(guard.lastAt(look)).toBeUndefined();
    expect(guard.lastAt(actionDigest('other', 1))).toBeUndefined();
  });
});
