import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Framed, LineFramer } from './line-framer.js';

function framed(text: string, sizes: readonly number[], capBytes = 1_000_000): readonly Framed[] {
  const framer = new LineFramer(capBytes);
  const bytes = Buffer.from(text);
  const all: Framed[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.byteLength]) {
    all.push(...framer.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...all, ...framer.end()];
}

describe('lines out of bytes', () => {
  it('MCP-56: are the same however the bytes come, within characters too', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc
            .string({ unit: 'grapheme', minLength: 1 })
            .map((line) => `x${line.replace(/[\r\n]/g, '')}x`),
        ),
        fc.array(fc.integer({ min: 1, max: 7 })),
        (lines, sizes) => {
          expect(framed(lines.join('\n'), sizes)).toEqual(lines.map((line) => ({ line })));
        },
      ),
    );
  });

  it('end at 0x0A alone: other separators are text, a carriage return before it is none', () => {
    expect(framed('a\u2028b\u0085c\r\nd\r\n\n', [])).toEqual([
      { line: 'a\u2028b\u0085c' },
      { line: 'd' },
    ]);
  });

  it('are not kept above the cap: both ends and the length are, and the next line is whole', () => {
    const long = `{"id":1,${'x'.repeat(20_000)},"end":true}`;
    for (const sizes of [[], [1, 2, 3], Array.from({ length: 300 }, () => 70)]) {
      const [first, second, ...more] = framed(`${long}\nnext\n`, sizes, 5_000);
      expect(first).toMatchObject({ oversized: { bytes: long.length } });
      if (first === undefined || !('oversized' in first)) return expect.unreachable();
      expect(first.oversized.head).toBe(long.slice(0, 4_096));
      expect(first.oversized.tail).toBe(long.slice(-4_096));
      expect(second).toEqual({ line: 'next' });
      expect(more).toEqual([]);
    }
  });
});
