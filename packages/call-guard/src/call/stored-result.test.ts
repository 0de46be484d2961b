import { describe, expect, it } from 'vitest';
import { jsonCodec, storeResult } from './stored-result.js';

const codec = (bytes: number) => ({
  encode: async () => ({ type: 'x', bytes: new Uint8Array(bytes) }),
  decode: async () => undefined,
});

describe('a stored result', () => {
  it('is kept with its digest, up to 64 KiB', async () => {
    const kept = await storeResult('r', codec(65_536));
    expect(kept).toMatchObject({ kept: true, type: 'x' });
    const tooLarge = await storeResult('r', codec(65_537));
    expect(tooLarge).toMatchObject({
      kept: false,
      reason: 'the result has 65537 bytes, over the 65536 that are kept',
    });
    expect(kept.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(tooLarge.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('that has no form is not kept, and says why', async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    for (const value of [loop, 1n, Number.NaN, () => {}, [undefined]]) {
      const stored = await storeResult(value, jsonCodec);
      expect(stored.kept).toBe(false);
      expect(!stored.kept && stored.reason).toMatch(/^the result has no stored form: /);
    }
  });

  it.each([
    [undefined, undefined],
    [null, null],
    ['text', 'text'],
    [
      { b: 1, a: [{ c: undefined, d: 'x' }] },
      { a: [{ d: 'x' }], b: 1 },
    ],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
  ])('%o comes back as %o', async (value, again) => {
    const stored = await storeResult(value, jsonCodec);
    expect(stored.kept && (await jsonCodec.decode(stored))).toEqual(again);
  });

  it('is the same text whatever the order of its keys', async () => {
    const digests = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ].map(async (value) => (await storeResult(value, jsonCodec)).digest);
    expect(new Set(await Promise.all(digests)).size).toBe(1);
  });
});
