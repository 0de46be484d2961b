import type { ResultRules } from '@holdfast/call-guard';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallResult, callResult } from '../proxy/call-result.js';
import { type TrimSetting, trimResult } from './trimmed-result.js';

const rules: ResultRules = { maxBytes: 8_192, kept: {} };
const optional: TrimSetting = { needsStructure: false };
const text = (of: string) => ({ type: 'text', text: of });
const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${id}` }));

/** A cut result as its host reads it. */
interface Cut {
  readonly text: string;
  readonly result: {
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly _meta: Readonly<Record<string, unknown>>;
    readonly vendor?: unknown;
  };
}

async function cut(
  result: object,
  setting = optional,
  maxBytes = rules.maxBytes,
): Promise<Cut | undefined> {
  const whole = JSON.stringify(result);
  const trimmed = await trimResult(callResult(whole), { maxBytes, kept: {} }, setting);
  if (trimmed === undefined) return undefined;
  const given = trimmed.given as CallResult;
  expect(JSON.parse(given.text)).toEqual(given.result);
  expect(trimmed.wholeBytes).toBe(Buffer.byteLength(whole));
  expect(trimmed.givenBytes).toBe(Buffer.byteLength(given.text));
  return { ...given, result: JSON.parse(given.text) };
}

describe('MCP-58: a result that is too large', () => {
  it('is left alone where it is not', async () => {
    expect(await cut({ content: [text('x'.repeat(8_000))] })).toBeUndefined();
  });

  it('keeps the beginning and the end of a text, and says how much is missing', async () => {
    const whole = `first${'x'.repeat(1_000_000)}last`;
    const given = await cut({ content: [text(whole)] });
    const [block, note] = given?.result.content ?? [];
    expect(block?.text).toMatch(/^firstx+\n\[holdfast left out \d+ of 1000009 characters/);
    expect(block?.text).toMatch(/x+last$/);
    expect(note?.text).toContain('content 0 (1000009 characters)');
    expect(note?.text).toContain('The call itself has succeeded: do not repeat it');
    expect(given?.result._meta['dev.holdfast/trimmed']).toMatchObject({
      parts: [{ part: 'content 0', characters: 1_000_009 }],
    });
    expect(Buffer.byteLength(given?.text ?? '')).toBeLessThanOrEqual(8_192);
  });

  it('of JSON ends with a whole record, and can be parsed', async () => {
    const given = await cut({ content: [text(JSON.stringify(rows))] });
    const shown: unknown[] = JSON.parse(given?.result.content[0]?.text ?? '');
    expect(shown.length).toBeGreaterThan(100);
    expect(shown.slice(0, -1)).toEqual(rows.slice(0, shown.length - 1));
    expect(shown.at(-1)).toBe(`[holdfast left out ${2_001 - shown.length} of 2000 items]`);
  });

  it('has images and blobs whole or by their size', async () => {
    const small = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
    const large = { type: 'image', mimeType: 'image/png', data: `${'A'.repeat(39_998)}==` };
    const blob = { type: 'resource', resource: { uri: 'a:b', blob: 'A'.repeat(40_000) } };
    const given = await cut({ content: [large, small, blob] });
    expect(given?.result.content.slice(0, 3)).toEqual([
      text('[holdfast left out image/png of 29998 bytes]'),
      small,
      text('[holdfast left out block of type resource of 30000 bytes]'),
    ]);
  });

  it('has the text of a resource cut inside of the resource', async () => {
    const resource = { uri: 'file:///a', mimeType: 'text/plain', text: 'y'.repeat(50_000) };
    const given = await cut({ content: [{ type: 'resource', resource }] });
    expect(given?.result.content[0]).toMatchObject({
      type: 'resource',
      resource: { uri: 'file:///a', text: expect.stringContaining('of 50000 characters') },
    });
  });

  it('has structured content whole or not at all, and always where a host refuses the result without it', async () => {
    const result = { content: [text('short')], structuredContent: { rows } };
    const without = await cut(result);
    expect(without?.result.structuredContent).toBeUndefined();
    expect(without?.result.content[0]).toEqual(text('short'));
    expect(without?.result.content[1]?.text).toContain('structuredContent (');
    const needed = { needsStructure: true };
    const long = await cut({ ...result, content: [text(JSON.stringify({ rows }))] }, needed);
    expect(long?.result.structuredContent).toEqual({ rows });
    expect(long?.result.content[0]?.text.length).toBeLessThan(8_192);
    const error = await cut({ ...result, isError: true }, needed);
    expect(error?.result).not.toHaveProperty('structuredContent');
  });

  it('stays an error where it is one, and does not say that it succeeded', async () => {
    const given = await cut({ content: [text('no '.repeat(9_000))], isError: true });
    expect(given?.result.isError).toBe(true);
    expect(given?.result.content.at(-1)?.text).not.toContain('succeeded');
  });

  it('keeps what stands beside its content, if it is small', async () => {
    const content = [text('x'.repeat(20_000))];
    const given = await cut({ vendor: 1.5, content, _meta: { mine: 1 }, huge: 'h'.repeat(4_000) });
    expect(given?.result).toMatchObject({ vendor: 1.5, _meta: { mine: 1 } });
    expect(given?.result).not.toHaveProperty('huge');
  });

  it('says under which names the rest is kept', async () => {
    const kept: string[] = [];
    const given = await cut(
      { content: [text('x'.repeat(20_000))], structuredContent: { s: 'y'.repeat(20_000) } },
      {
        needsStructure: false,
        reader: 'read_it',
        keep: async (whole) => `r${kept.push(whole)}`,
      },
    );
    expect(kept).toEqual(['x'.repeat(20_000), JSON.stringify({ s: 'y'.repeat(20_000) })]);
    expect(given?.result.content.at(-1)?.text).toContain(
      'read with read_it: content 0 is {"ref":"r1"}, structuredContent is {"ref":"r2"}',
    );
  });

  it('is never longer than it may be, whatever it holds', async () => {
    const some = fc.string({ unit: fc.constantFrom('a', '"', '\n', '中', '😀'), maxLength: 3_000 });
    const block = fc.oneof(
      some.map(text),
      some.map((data) => ({ type: 'image', data, mimeType: data.slice(0, 90) })),
      some.map((of) => ({ type: 'resource', resource: { uri: of.slice(0, 500), text: of } })),
      fc.jsonValue(),
    );
    const result = fc.record(
      {
        content: fc.array(block, { maxLength: 60 }),
        structuredContent: fc.dictionary(some, fc.jsonValue()),
        isError: fc.boolean(),
        _meta: fc.dictionary(some, some, { maxKeys: 3 }),
      },
      { requiredKeys: ['content'] },
    );
    await fc.assert(
      fc.asyncProperty(result, fc.integer({ min: 4_096, max: 9_000 }), async (given, most) => {
        const short = await cut(given, { ...optional, keep: async () => 'r'.repeat(22) }, most);
        expect(Buffer.byteLength(short?.text ?? '')).toBeLessThanOrEqual(most);
      }),
      { numRuns: 150 },
    );
  });
});
