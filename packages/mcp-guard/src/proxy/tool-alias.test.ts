import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aliased, aliasOf, mayBeAlias } from './tool-alias.js';

describe('the name of a tool', () => {
  it.each(['read_file', 'a', 'A-1', 'x'.repeat(64)])('%s stays', (name) => {
    expect(aliasOf(name)).toBeUndefined();
    const text = `{ "name" : "${name}" }`;
    expect(aliased({ name, definition: { name }, text })).toBe(text);
  });

  it('that is not taken by all has another one, which says what it is', () => {
    expect(aliasOf('files/read.all')).toMatch(/^files_read_all_[0-9a-f]{8}$/);
    expect(aliasOf('x'.repeat(65))).toMatch(/^x{55}_[0-9a-f]{8}$/);
    const text = '{"vendor":1.0,"name":"a.b"}';
    expect(aliased({ name: 'a.b', definition: {}, text })).toBe(
      `{"vendor":1.0,"name":"${aliasOf('a.b')}"}`,
    );
  });

  it('has an alias that all take, its own alone, and always the same', () => {
    const named = fc.string({ unit: fc.constantFrom('a', '.', '/', ' ', 'é', '😀', '_') });
    fc.assert(
      fc.property(named, named, (a, b) => {
        const alias = aliasOf(a);
        if (alias === undefined) return;
        expect(alias).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(mayBeAlias(alias)).toBe(true);
        expect(aliasOf(a)).toBe(alias);
        if (a !== b) expect(aliasOf(b)).not.toBe(alias);
      }),
    );
  });
});
