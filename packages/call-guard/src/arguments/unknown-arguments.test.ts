import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unknownArguments } from './unknown-arguments.js';

const of = (schema: z.ZodType, value: unknown) =>
  unknownArguments(schema, value).map(
    ({ path, message }) => `${path.map(String).join('.')}: ${message}`,
  );

describe('MCP-50: arguments that the schema would drop without a word', () => {
  const schema = z.object({ maxDepth: z.number().optional(), path: z.string() });

  it('are named, with the nearest name', () => {
    expect(of(schema, { path: '/', depth: 3 })).toEqual([
      "depth: unknown argument; did you mean 'maxDepth'?",
    ]);
    expect(of(schema, { path: '/', zzzzzzzzzzzz: 3 })).toEqual(['zzzzzzzzzzzz: unknown argument']);
    expect(of(schema, { path: '/', maxDepth: 3 })).toEqual([]);
  });

  it('named like what every object has are found too', () => {
    expect(of(schema, JSON.parse('{"path":"/","__proto__":1,"toString":2}')).length).toBe(2);
  });

  it('are found at any depth', () => {
    const inner = z.object({ a: z.string() });
    const deep = z.object({
      list: z.array(inner).optional(),
      map: z.record(z.string(), inner).nullable(),
      lazy: z.lazy(() => inner).default({ a: '' }),
      piped: inner.transform((value) => value.a).readonly(),
      either: z.union([z.object({ b: z.number() }), inner]),
      kind: z.discriminatedUnion('t', [
        z.object({ t: z.literal('x'), x: z.number() }),
        z.object({ t: z.literal('y'), y: z.number() }),
      ]),
    });
    const more = { a: '', z: 1 };
    expect(
      unknownArguments(deep, {
        list: [{ a: '' }, more],
        map: { k: more },
        lazy: more,
        piped: more,
        either: more,
        kind: { t: 'y', y: 1, x: 2 },
      }).map(({ path }) => path.map(String).join('.')),
    ).toEqual(['list.1.z', 'map.k.z', 'lazy.z', 'piped.z', 'either.z', 'kind.x']);
  });

  it('a union takes what one of its alternatives knows', () => {
    const either = z.union([
      z.object({ a: z.string() }),
      z.object({ a: z.string(), b: z.string() }),
    ]);
    expect(of(either, { a: '', b: '' })).toEqual([]);
  });

  it('are left to a schema that has its own rule for them', () => {
    expect(of(z.looseObject({ a: z.string() }), { a: '', b: 1 })).toEqual([]);
    expect(of(z.strictObject({ a: z.string() }), { a: '', b: 1 })).toEqual([]);
    expect(of(z.object({ a: z.string() }).catchall(z.number()), { a: '', b: 1 })).toEqual([]);
  });

  it('do not exist in what is no object', () => {
    expect(of(z.string(), 'a')).toEqual([]);
    expect(of(schema, null)).toEqual([]);
    expect(of(z.array(schema), 'a')).toEqual([]);
  });
});
