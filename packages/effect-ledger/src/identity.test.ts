import { isCanonicalJsonError } from '@holdfast/tool-registry';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IdentityRecipe, identityOf } from './identity.js';

const recipe = (change: Partial<IdentityRecipe> = {}): IdentityRecipe => ({
  volatile: [],
  trim: [],
  foldCase: [],
  nfc: [],
  ...change,
});
const decomposed = 'e\u0301';

describe('identity arguments', () => {
  it('are all arguments in canonical form, if the recipe names nothing', () => {
    expect(identityOf({ to: ' A ', amount: 1.0, at: new Date(0) }, recipe())).toBe(
      '{"amount":1,"at":"1970-01-01T00:00:00.000Z","to":" A "}',
    );
  });

  it('are those that identity names, without the volatile ones', () => {
    const args = { payee: 'p', amount: 5, memo: 'x', trace: 't' };
    expect(identityOf(args, recipe({ identity: ['amount', 'payee', 'missing'] }))).toBe(
      '{"amount":5,"payee":"p"}',
    );
    const both = recipe({ identity: ['payee', 'memo'], volatile: ['memo'] });
    expect(identityOf(args, both)).toBe('{"payee":"p"}');
    expect(identityOf(args, recipe({ volatile: ['memo', 'trace'] }))).toBe(
      '{"amount":5,"payee":"p"}',
    );
    expect(identityOf(args, recipe({ identity: [] }))).toBe('{}');
  });

  it('are trimmed, folded and composed where the recipe says so, and nowhere else', () => {
    const args = { a: ` ${decomposed}X `, b: ` ${decomposed}X ` };
    const named = recipe({ trim: ['a'], foldCase: ['a'], nfc: ['a'] });
    expect(identityOf(args, named)).toBe(`{"a":"\u00e9x","b":" ${decomposed}X "}`);
  });

  it('are those of any object, also where nothing else changes', () => {
    const named = recipe({ trim: ['a'] });
    expect(identityOf({ a: ' x ' }, named)).toBe('{"a":"x"}');
    class Args {
      readonly [name: string]: unknown;
      readonly a = 1;
    }
    expect(identityOf(new Args(), recipe())).toBe('{"a":1}');
    expect(identityOf(Object.assign(Object.create(null), { a: 1 }), recipe())).toBe('{"a":1}');
  });

  it('are left alone inside a named argument that is not a string', () => {
    const args = { list: [' A '], object: { list: ' A ' }, none: null };
    const all = ['list', 'object', 'none'];
    expect(identityOf(args, recipe({ trim: all, foldCase: all, nfc: all }))).toBe(
      '{"list":[" A "],"none":null,"object":{"list":" A "}}',
    );
  });

  it('may have any name', () => {
    const args = JSON.parse('{"__proto__":" A ","constructor":1}');
    expect(identityOf(args, recipe({ trim: ['__proto__'] }))).toBe(
      '{"__proto__":"A","constructor":1}',
    );
    expect(identityOf({}, recipe({ identity: ['constructor'] }))).toBe('{}');
  });

  it('are refused without a canonical form, unless they are named away', () => {
    for (const odd of [Number.NaN, undefined, 1n, '\ud800']) {
      let error: unknown;
      try {
        identityOf({ odd }, recipe());
      } catch (thrown) {
        error = thrown;
      }
      expect(isCanonicalJsonError(error)).toBe(true);
      expect(identityOf({ odd }, recipe({ volatile: ['odd'] }))).toBe('{}');
    }
  });

  const args = fc.dictionary(fc.string(), fc.jsonValue());

  it('make equal wishes equal, whatever the order of their names', () => {
    fc.assert(
      fc.property(args, (one) => {
        const other = Object.fromEntries(Object.entries(one).reverse());
        expect(identityOf(other, recipe())).toBe(identityOf(one, recipe()));
      }),
      { seed: 4 },
    );
  });

  it('make wishes different that differ in any argument that was not named away', () => {
    fc.assert(
      fc.property(args, fc.string(), fc.jsonValue(), fc.boolean(), (one, name, value, away) => {
        const other = { ...one };
        Object.defineProperty(other, name, { value, enumerable: true, configurable: true });
        const same =
          Object.hasOwn(one, name) &&
          identityOf({ x: one[name] }, recipe()) === identityOf({ x: value }, recipe());
        const rules = recipe({ volatile: away ? [name] : [] });
        expect(identityOf(one, rules) === identityOf(other, rules)).toBe(away || same);
      }),
      { seed: 4 },
    );
  });

  it('do not change when they are brought into form twice', () => {
    const rules = recipe({ trim: ['x'], foldCase: ['x'], nfc: ['x'] });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (x) => {
        const once = identityOf({ x }, rules);
        expect(identityOf(JSON.parse(once), rules)).toBe(once);
      }),
      { seed: 4 },
    );
  });
});
