import { describe, expect, it } from 'vitest';
import { actionDigest, LoopGuard, resultDigest } from './loop-guard.js';

const look = actionDigest('look', { at: 'x' });
const seen = (guard: LoopGuard, result: unknown, messageId?: string): number => {
  guard.observe(look, resultDigest(result), { messageId, at: 0 });
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
      guard.observe(actionDigest('other', i), resultDigest('r'), { messageId: undefined, at: 0 });
    }
    expect(guard.repeatsOf(look)).toBe(1);
    guard.observe(actionDigest('other', 'one more'), resultDigest('r'), {
      messageId: undefined,
      at: 0,
    });
    expect(guard.repeatsOf(look)).toBe(0);
  });
});
