import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectKey, stepKey, type WishParts, wishDigest } from './effect-key.js';
import { type IdentityRecipe, identityOf } from './identity.js';

const sure = { seed: 4, numRuns: 300 };

/** Texts of any length in characters and bytes, with what the format itself is made of. */
const field = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '1', ':', '|'), maxLength: 3 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('x', 'é', '😀', '\ud83d'), minLength: 90, maxLength: 1100 }),
);
const parts: fc.Arbitrary<WishParts & { readonly generation: number }> = fc.record({
  tenant: field,
  intentId: field,
  scope: fc.constantFrom('intent', 'business'),
  tool: field,
  identity: field,
  keyGiven: fc.boolean(),
  ordinal: fc.nat(12),
  generation: fc.nat(12),
});

/** The format as it is told: each field with its length in bytes before it. */
const digest = (...fields: readonly (string | number)[]) => {
  const hash = createHash('sha256');
  for (const one of fields) {
    const bytes = Buffer.from(String(one), 'utf8');
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex');
};

describe('the keys of any wish', () => {
  it('are digests of its length-prefixed fields, the same in every version of this package', () => {
    fc.assert(
      fc.property(parts, field, (wish, name) => {
        const { tenant, intentId, scope, tool, identity, keyGiven, ordinal, generation } = wish;
        const kind = keyGiven ? 'given' : 'arguments';
        const intent = scope === 'intent' ? intentId : '';
        const key = effectKey(wish);
        expect(key).toBe(
          digest(
            ...['holdfast-key-1', tenant, scope, intent, tool, kind, identity],
            ...[ordinal, generation],
          ),
        );
        expect(stepKey(key, name)).toBe(digest('holdfast-step-1', key, name));
        expect(wishDigest(wish)).toBe(digest(tool, kind, identity));
      }),
      sure,
    );
  });
});

const names = ['to', 'note', 'id', '__proto__'] as const;
/** Values that differ in what a recipe may name away, and values that do not. */
const value = fc.oneof(
  fc.constantFrom('A', 'a', ' a', 'a ', 'B', '\u00e9', 'e\u0301', '\u00c9 ', 'İ', 'i\u0307'),
  fc.constantFrom<unknown>(1, '1', true, null, [' A'], { to: 'A' }),
);
const some = fc.subarray([...names]);
const recipe: fc.Arbitrary<IdentityRecipe> = fc.record({
  identity: fc.option(some, { nil: undefined }),
  volatile: some,
  trim: some,
  foldCase: some,
  nfc: some,
});
const args = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), value), { selector: ([name]) => name })
  .map((entries) => Object.fromEntries(entries));

/** What the recipe leaves of each argument, told apart by type. */
function wishOf(given: Record<string, unknown>, rules: IdentityRecipe): string {
  const counted = [...names]
    .filter((name) => Object.hasOwn(given, name))
    .filter((name) => rules.identity === undefined || rules.identity.includes(name))
    .filter((name) => !rules.volatile.includes(name));
  return JSON.stringify(
    counted.map((name) => {
      const { value } = Object.getOwnPropertyDescriptor(given, name) ?? {};
      if (typeof value !== 'string') return [name, value];
      const trimmed = rules.trim.includes(name) ? value.trim() : value;
      const folded = rules.foldCase.includes(name) ? trimmed.toLowerCase() : trimmed;
      return [name, rules.nfc.includes(name) ? folded.normalize('NFC') : folded];
    }),
  );
}

describe('the identity arguments of any call', () => {
  it('are equal exactly if what the recipe does not name away is equal', () => {
    let equal = 0;
    fc.assert(
      fc.property(args, args, recipe, (one, other, rules) => {
        const same = wishOf(one, rules) === wishOf(other, rules);
        equal += same ? 1 : 0;
        expect(identityOf(one, rules) === identityOf(other, rules)).toBe(same);
      }),
      { seed: 4, numRuns: 2_000 },
    );
    // Else the values above would not be close enough to be confused.
    expect(equal).toBeGreaterThan(200);
    expect(equal).toBeLessThan(1_800);
  });
});
