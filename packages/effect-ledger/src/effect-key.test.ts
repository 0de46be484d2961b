import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectKey, stepKey, type WishParts, wishDigest } from './effect-key.js';

const parts = (change: Partial<WishParts & { generation: number }> = {}) => ({
  tenant: 'acme',
  intentId: 'intent-1',
  scope: 'intent' as const,
  tool: 'send_mail',
  identity: '{"to":"a"}',
  keyGiven: false,
  ordinal: 0,
  generation: 0,
  ...change,
});
/** Short texts of what the format is made of, so that near misses are common. */
const field = fc.string({ unit: fc.constantFrom('a', '1', ':', '|'), maxLength: 3 });
const anyParts = fc.record({
  tenant: field,
  intentId: field,
  scope: fc.constantFrom('intent' as const, 'business' as const),
  tool: field,
  identity: field,
  keyGiven: fc.boolean(),
  ordinal: fc.nat(1),
  generation: fc.nat(1),
});

describe('the lengths in a key', () => {
  it.each([
    ['book', '4'],
    ['buché', '6'],
    ['\u007f', '1'],
    ['\u0080', '2'],
    ['é'.repeat(33), '66'],
  ])('are bytes of UTF-8: of %s it is %s', (tool, bytes) => {
    const fields = `${bytes}:${tool}9:arguments2:{}`;
    const digest = createHash('sha256').update(fields).digest('hex');
    expect(wishDigest({ tool, identity: '{}', keyGiven: false })).toBe(digest);
  });
});

describe('the key of a step', () => {
  it('is the same for the same name under the same parent in every version of this package', () => {
    const parent = effectKey(parts());
    const fields = `15:holdfast-step-164:${parent}7:reserve`;
    expect(stepKey(parent, 'reserve')).toBe(createHash('sha256').update(fields).digest('hex'));
  });

  it('differs when the name or anything of the parent differs', () => {
    const of = (name: string, generation = 0) => stepKey(effectKey(parts({ generation })), name);
    expect(new Set([of('reserve'), of('book'), of('reserve', 1)]).size).toBe(3);
  });
});

describe('the idempotency key', () => {
  it('is the same for the same wish in every version of this package', () => {
    const fields =
      '14:holdfast-key-14:acme6:intent8:intent-19:send_mail9:arguments10:{"to":"a"}1:01:0';
    expect(effectKey(parts())).toBe(createHash('sha256').update(fields).digest('hex'));
  });

  it.each(
    Object.entries({
      tenant: 'other',
      intentId: 'intent-2',
      scope: 'business',
      tool: 'post',
      identity: '{"to":"b"}',
      keyGiven: true,
      ordinal: 1,
      generation: 1,
    }),
  )('differs when %s differs', (name, value) => {
    expect(effectKey(parts({ [name]: value }))).not.toBe(effectKey(parts()));
  });

  it('has no intent for a business-wide wish', () => {
    const wide = parts({ scope: 'business' });
    expect(effectKey({ ...wide, intentId: 'intent-2' })).toBe(effectKey(wide));
    // Nor does an intent without a name count as none.
    expect(effectKey(parts({ intentId: '' }))).not.toBe(effectKey(wide));
  });

  it('does not let two fields run together', () => {
    expect(effectKey(parts({ tenant: 'a|b', tool: 'c' }))).not.toBe(
      effectKey(parts({ tenant: 'a', tool: 'b|c' })),
    );
    expect(effectKey(parts({ tool: 'a', identity: '1:b' }))).not.toBe(
      effectKey(parts({ tool: 'a1:b', identity: '' })),
    );
  });

  it('is equal for two wishes only if all that makes them up is equal', () => {
    const relevant = (wish: ReturnType<typeof parts>) =>
      JSON.stringify({ ...wish, intentId: wish.scope === 'intent' ? wish.intentId : null });
    fc.assert(
      fc.property(anyParts, anyParts, (a, b) => {
        expect(effectKey(a) === effectKey(b)).toBe(relevant(a) === relevant(b));
      }),
      { seed: 4 },
    );
  });
});

describe('the digest of a wish', () => {
  it.each([
    [false, '9:send_mail9:arguments10:{"to":"a"}'],
    [true, '9:send_mail5:given10:{"to":"a"}'],
  ])('is the same in every version of this package, key given: %s', (keyGiven, fields) => {
    const digest = createHash('sha256').update(fields).digest('hex');
    expect(wishDigest(parts({ keyGiven }))).toBe(digest);
  });

  it('is that of tool and identity alone', () => {
    fc.assert(
      fc.property(anyParts, anyParts, (a, b) => {
        const digest = wishDigest({ tool: a.tool, identity: a.identity, keyGiven: a.keyGiven });
        expect(wishDigest(a)).toBe(digest);
        const same = a.tool === b.tool && a.identity === b.identity && a.keyGiven === b.keyGiven;
        expect(wishDigest(a) === wishDigest(b)).toBe(same);
      }),
      { seed: 4 },
    );
  });
});
