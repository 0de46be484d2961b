import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseArguments } from './parse.js';

const parse = (schema: z.ZodType, given: unknown, exact: readonly string[] = []) =>
  parseArguments(schema, given, new Set(exact));

/** The input and repairs, or the paths of the problems. */
async function outcome(schema: z.ZodType, given: unknown, exact?: readonly string[]) {
  const parsed = await parse(schema, given, exact);
  return parsed.ok
    ? { input: parsed.input, repairs: parsed.repairs }
    : { problems: parsed.problems.map(({ path }) => path.map(String).join('.')) };
}

describe('arguments that are valid', () => {
  it('are never touched, a text with JSON in it included', async () => {
    const schema = z.object({ filter: z.string(), n: z.union([z.string(), z.number()]) });
    const given = { filter: '{"a":1}', n: '42' };
    const parsed = await parse(schema, given);
    expect(parsed).toEqual({ ok: true, args: given, input: given, repairs: [] });
  });

  it('keep both what came in and what the schema makes of it', async () => {
    const schema = z.object({
      at: z.string().transform((text) => text.length),
      n: z.number().default(7),
    });
    expect(await parse(schema, { at: 'abc' })).toEqual({
      ok: true,
      args: { at: 3, n: 7 },
      input: { at: 'abc' },
      repairs: [],
    });
  });

  it('are never changed by being parsed, whatever they are', async () => {
    const schema = z.object({ a: z.json(), b: z.record(z.string(), z.json()) });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), async (a, b) => {
        const parsed = await parse(schema, { a, b });
        return parsed.ok && parsed.repairs.length === 0;
      }),
      { seed: 31 },
    );
  });
});

describe('MCP-45: an object or list as JSON text', () => {
  const schema = z.object({
    filter: z.object({ a: z.number() }).optional(),
    list: z.array(z.number()).optional(),
    pair: z.tuple([z.number(), z.string()]).optional(),
    map: z.record(z.string(), z.number()).optional(),
    text: z.string().optional(),
  });

  it.each([
    [{ filter: '{"a":1}' }, { filter: { a: 1 } }],
    [{ list: '[1,2]' }, { list: [1, 2] }],
    [{ pair: '[1,"x"]' }, { pair: [1, 'x'] }],
    [{ map: '{"a":1}' }, { map: { a: 1 } }],
  ])('%o is read', async (given, input) => {
    const [name] = Object.keys(given);
    const result = await outcome(schema, given);
    expect(result.input).toEqual(input);
    expect(result.repairs?.map((repair) => repair.split(':')[0])).toEqual([name]);
  });

  it.each([
    [{ filter: 'not json' }],
    [{ filter: '[1]' }],
    [{ filter: '"text"' }],
    [{ list: '{"0":1}' }],
    [{ filter: '{"a":"x"}' }],
  ])('%o is refused', async (given) => {
    expect(await outcome(schema, given)).toEqual({ problems: Object.keys(given) });
  });

  it('a text stays a text', async () => {
    expect(await outcome(schema, { text: '{"a":1}', list: '[1]' })).toEqual({
      input: { text: '{"a":1}', list: [1] },
      repairs: ['list: text read as array'],
    });
  });

  it('problems inside the text are repaired in their turn', async () => {
    expect(await outcome(schema, { filter: '{"a":"1"}' })).toEqual({
      input: { filter: { a: 1 } },
      repairs: ['filter: text read as object', 'filter.a: text read as number'],
    });
  });
});

describe('MCP-46: numbers and booleans as text', () => {
  const schema = z.object({
    count: z.int().optional(),
    ratio: z.number().optional(),
    yes: z.boolean().optional(),
  });

  it.each([
    [{ count: '42' }, { count: 42 }],
    [{ count: '-7' }, { count: -7 }],
    [{ count: '0' }, { count: 0 }],
    [{ ratio: '4.5' }, { ratio: 4.5 }],
    [{ yes: 'true' }, { yes: true }],
    [{ yes: 'false' }, { yes: false }],
  ])('%o is read', async (given, input) => {
    expect((await outcome(schema, given)).input).toEqual(input);
  });

  it.each([
    '4.5',
    '0x10',
    '1e3',
    '',
    ' 42',
    '1,000',
    '042',
    '-0',
    '1.0',
    '9007199254740993',
    'NaN',
  ])('the integer %j is refused', async (count) => {
    expect(await outcome(schema, { count })).toEqual({ problems: ['count'] });
  });

  it.each(['TRUE', 'yes', '1', ''])('the boolean %j is refused', async (yes) => {
    expect(await outcome(schema, { yes })).toEqual({ problems: ['yes'] });
  });

  it('a number is no text', async () => {
    expect(await outcome(z.object({ id: z.string() }), { id: 42 })).toEqual({ problems: ['id'] });
  });

  it('only what reads back as the same text is read', async () => {
    const one = z.object({ n: z.number() });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.double().map(String)), async (n) => {
        const { input } = await outcome(one, { n });
        const value: unknown =
          typeof input === 'object' && input !== null && Reflect.get(input, 'n');
        return input === undefined || String(value) === n;
      }),
      { seed: 31 },
    );
  });
});

describe('MCP-48: null', () => {
  const schema = z.object({
    note: z.string().optional(),
    kind: z.enum(['a', 'b']).optional(),
    only: z.literal('x').optional(),
    either: z.union([z.string(), z.number()]).optional(),
    size: z.number().default(3),
    memo: z.string().nullable().optional(),
    inner: z.object({ deep: z.string().optional() }).optional(),
    list: z.array(z.string()).optional(),
  });

  it.each([['note'], ['kind'], ['only'], ['either'], ['inner'], ['list'], ['size']])(
    'for an optional %s is left out',
    async (name) => {
      expect(await outcome(schema, { [name]: null })).toEqual({
        input: {},
        repairs: [`${name}: null left out`],
      });
    },
  );

  it('inside an object is left out, inside a list refused', async () => {
    expect((await outcome(schema, { inner: { deep: null } })).input).toEqual({ inner: {} });
    expect(await outcome(schema, { list: ['a', null] })).toEqual({ problems: ['list.1'] });
  });

  it('stays where the schema knows it', async () => {
    expect(await outcome(schema, { memo: null, note: null })).toEqual({
      input: { memo: null },
      repairs: ['note: null left out'],
    });
  });

  it('for a required argument is refused', async () => {
    expect(await outcome(z.object({ id: z.string() }), { id: null })).toEqual({ problems: ['id'] });
  });
});

describe('an object wrapped one level too deep', () => {
  const schema = z.object({ to: z.string(), cc: z.string().optional() });

  it('is unwrapped', async () => {
    expect(await outcome(schema, { input: { to: 'A', cc: 'B' } })).toEqual({
      input: { to: 'A', cc: 'B' },
      repairs: ['input: unwrapped one level'],
    });
    expect((await outcome(schema, { args: { to: 'A', cc: null } })).input).toEqual({ to: 'A' });
  });

  it('is left alone where the schema knows the name: that would drop it', async () => {
    const search = z.object({
      filter: z.object({ limit: z.number() }).optional(),
      limit: z.number(),
    });
    expect(await outcome(search, { filter: { limit: 5 } })).toEqual({ problems: ['limit'] });
  });

  it('is refused where it does not hold what is missing, or is not alone', async () => {
    expect(await outcome(schema, { input: { cc: 'B' } })).toEqual({ problems: ['to'] });
    expect(await outcome(schema, { input: { to: 'A' }, more: 1 })).toEqual({ problems: ['to'] });
    expect(await outcome(schema, { a: { b: { to: 'A' } } })).toEqual({ problems: ['to'] });
  });
});

describe('MCP-51: arguments that are no object', () => {
  const schema = z.object({ to: z.string().optional() });

  it('null and nothing are no arguments', async () => {
    expect((await outcome(schema, null)).input).toEqual({});
    expect((await outcome(schema, undefined)).input).toEqual({});
  });

  it('JSON text of an object is read', async () => {
    expect(await outcome(schema, '{"to":"A"}')).toEqual({
      input: { to: 'A' },
      repairs: ['arguments: read from JSON text'],
    });
  });

  it.each([[[]], [['A']], ['A'], ['[1]'], ['null'], [7], [true]])(
    '%j is refused',
    async (given) => {
      expect(await outcome(schema, given)).toEqual({ problems: [''] });
    },
  );
});

describe('what is never repaired', () => {
  it('an argument that is marked exact', async () => {
    const schema = z.object({ amount: z.number(), count: z.number() });
    expect(await outcome(schema, { amount: '5', count: '5' }, ['amount'])).toEqual({
      problems: ['amount', 'count'],
    });
    expect((await outcome(schema, { amount: 5, count: '5' }, ['amount'])).input).toEqual({
      amount: 5,
      count: 5,
    });
  });

  it('anything, if the whole does not become valid: the problems are those of what came', async () => {
    const schema = z.object({ a: z.number(), b: z.number() });
    const given = { a: '1', b: 'x' };
    expect(await outcome(schema, given)).toEqual({ problems: ['a', 'b'] });
    expect(given).toEqual({ a: '1', b: 'x' });
  });

  it('what cannot be copied', async () => {
    const schema = z.object({ n: z.number() });
    expect(await outcome(schema, { n: '1', f: () => {} })).toEqual({ problems: ['n'] });
  });
});

describe('schemas with code of their own', () => {
  it('may be asynchronous', async () => {
    const schema = z.object({ n: z.number().refine(async (n) => n > 0) });
    expect((await outcome(schema, { n: '1' })).input).toEqual({ n: 1 });
    expect(await outcome(schema, { n: -1 })).toEqual({ problems: ['n'] });
  });

  it('that throws has refused the arguments', async () => {
    const schema = z.object({ json: z.string().transform((text): unknown => JSON.parse(text)) });
    const parsed = await parse(schema, { json: '{' });
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.problems[0]?.path).toEqual([]);
  });
});
