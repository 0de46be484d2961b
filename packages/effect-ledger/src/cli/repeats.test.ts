import { describe, expect, it } from 'vitest';
import type { Effect, EffectState, Settlement } from '../effect.js';
import { declaredEffect } from '../effect-change.js';
import { effectKey, wishDigest } from '../effect-key.js';
import { owner, result, wish } from '../testing/worker.js';
import { tallyWishes, whyAgain } from './repeats.js';

const row = (state: EffectState, change: Partial<Effect> = {}): Effect => {
  const declaration = wish();
  const identified = {
    key: effectKey({ ...declaration, ...change, generation: change.generation ?? 0 }),
    wish: wishDigest(declaration),
    generation: 0,
  };
  const begun = declaredEffect(
    declaration,
    identified,
    { id: 'ada-1', owner: owner('ada') },
    { now: 1, seq: 1 },
  );
  return { ...begun, ...change, ...state };
};
const succeeded = (settlement: Settlement = { settled: 'open' }): EffectState => ({
  ...{ state: 'succeeded', result: result(), undo: { undo: 'none' }, settlement },
});
const undone = succeeded({ settled: 'compensated', by: row(succeeded()).key });
const unknown: EffectState = { state: 'unknown', since: 1, reason: 'timed out' };
const attempting: EffectState = { state: 'attempting', owner: owner('ada') };
const failed: EffectState = { state: 'failed', failureKind: 'business_error' };
const suspended: EffectState = { state: 'suspended', owner: owner('ada') };

describe('how often a wish came true', () => {
  it.each<[string, readonly EffectState[]]>([
    ['once', [succeeded()]],
    ['once', [failed, undone, succeeded({ settled: 'manual', reason: 'no undo' })]],
    ['more-than-once', [succeeded(), succeeded()]],
    ['more-than-once', [succeeded(), undone, unknown, succeeded()]],
    ['perhaps-more-than-once', [succeeded(), unknown]],
    ['perhaps-more-than-once', [unknown, attempting]],
    ['perhaps-once', [attempting, failed]],
    ['not-done', [failed, undone, suspended]],
  ])('is %s after %j', (verdict, states) => {
    const effects = states.map((state, generation) => row(state, { generation }));
    expect(tallyWishes(effects)).toMatchObject([{ verdict, effects }]);
  });

  it('is counted for each wish of each tenant', () => {
    const effects = [
      row(succeeded()),
      row(succeeded(), { tenant: 'other' }),
      row(succeeded(), { wish: 'another' }),
      row(undone, { generation: 1 }),
    ];
    expect(tallyWishes(effects).map(({ tenant, done, undone }) => [tenant, done, undone])).toEqual([
      ['acme', 1, 1],
      ['other', 1, 0],
      ['acme', 1, 0],
    ]);
  });

  it('comes with the reason for which an equal one was begun', () => {
    const again = (change: Partial<Effect>) => {
      const effects = [row(succeeded()), row(succeeded(), change)];
      const [tally] = tallyWishes(effects);
      return tally && effects.map((effect) => whyAgain(effect, tally));
    };
    expect(again({ intentId: 'intent-2' })).toEqual(['', 'another request']);
    expect(again({ ordinal: 1 })).toEqual(['', 'repeated in one message']);
    expect(again({ generation: 1 })).toEqual(['', 'after an undo, an overwrite or a confirmation']);
    expect(again({ generation: 1, class: 'undeclared' })).toEqual(['', 'tool without an entry']);
  });
});
