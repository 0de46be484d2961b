import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, read } from '../index.js';
import type { KeyRecipe } from '../tool-declaration.js';
import { base, findingsOf } from './one-tool.fixture.js';

const findings = (input: z.ZodType, key: KeyRecipe<Record<string, unknown>> = {}) =>
  findingsOf(
    'identity-made-anew',
    defineTool({
      ...base,
      name: 'set_row',
      input: input as z.ZodType<Record<string, unknown>>,
      idempotency: {
        class: 'idempotent-write',
        sentAs: { header: 'Key' },
        serverKeepsKeyFor: '7d',
        key,
      },
    }),
  );
const withArgument = (name: string) => z.object({ id: z.string(), [name]: z.string() });

describe('an identity that looks made anew for each attempt', () => {
  it.each(['request_id', 'requestId', 'traceId', 'trace-id', 'nonce', 'now', 'Timestamp'])(
    'holds %s, which may be volatile',
    (name) => {
      expect(findings(withArgument(name))).toEqual([
        `tools.set_row.idempotency.key: '${name}' is in the identity and sounds as if it were made anew for each attempt, so that no two calls would be the same wish. name it in idempotency.key.volatile, or in key.identity if it does make another wish`,
      ]);
    },
  );

  it('holds no argument that is volatile, left out, or listed on purpose', () => {
    const input = withArgument('traceId');
    expect(findings(input, { volatile: ['traceId'] })).toEqual([]);
    expect(findings(input, { identity: ['id'] })).toEqual([]);
    expect(findings(input, { identity: ['id', 'traceId'] })).toEqual([]);
  });

  it('holds no argument that only resembles one', () => {
    for (const name of ['known', 'requestIdentity', 'startAt', 'attempts', 'createdAt']) {
      expect(findings(withArgument(name))).toEqual([]);
    }
    expect(findings(z.record(z.string(), z.string()))).toEqual([]);
  });

  it('is none for a read', () => {
    const tool = defineTool({
      ...base,
      name: 'get_row',
      input: z.object({ requestId: z.string() }),
      idempotency: read(),
    });
    expect(findingsOf('identity-made-anew', tool)).toEqual([]);
  });

  it('holds a default that is made anew, even one listed on purpose or deep inside', () => {
    let made = 0;
    const next = () => `id-${made++}`;
    const reason = /'(ref|meta)' is in the identity and has a default that is made anew/;
    const ref = z.object({ ref: z.string().default(next) });
    expect(findings(ref)).toEqual([expect.stringMatching(reason)]);
    expect(findings(ref, { identity: ['ref'] })).toEqual([
      expect.stringMatching(/take it out of key\.identity, or its default out of the input$/),
    ]);
    // A clock stands still for many readings.
    const clock = () => 1_700_000_000_000 + Math.floor(made++ / 1_000);
    const meta = z.object({ meta: z.object({ at: z.number().default(clock) }) });
    expect(findings(meta)).toEqual([expect.stringMatching(reason)]);
    const text = z.object({ ref: z.string().default(() => new Date(clock()).toISOString()) });
    expect(findings(text)).toEqual([expect.stringMatching(reason)]);
  });

  it('holds no default that is always the same', () => {
    const input = z.object({
      at: z.string().default('2026-11-02T10:00:00Z'),
      since: z.number().default(1_700_000_000_000),
      list: z.array(z.string()).default(() => []),
      mode: z.enum(['a', 'b']).default('a'),
    });
    expect(findings(input)).toEqual([]);
  });
});
