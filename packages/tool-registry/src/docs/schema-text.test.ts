import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readableSchema } from '../readable-schema.js';
import { schemaText } from './schema-text.js';

function text(schema: z.ZodType): string {
  const json = readableSchema(schema);
  return schemaText(json, json.$defs);
}
const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree);
  },
});

describe('a schema in words', () => {
  it.each([
    ['string', z.string()],
    ['string, at most 200 characters', z.string().max(200)],
    ['string, 1 to 5 characters', z.string().min(1).max(5)],
    ['string, 1 character', z.string().length(1)],
    ['string, at least 1 character', z.string().min(1)],
    ['string matching ^ord_\\d+$', z.string().regex(/^ord_\d+$/)],
    ['string matching ^a.* and .*b$', z.string().startsWith('a').endsWith('b')],
    ['email', z.email()],
    ['uuid', z.uuid()],
    ['uri', z.url()],
    ['date', z.iso.date()],
    ['date-time', z.iso.datetime({ offset: true })],
    ['date-time in UTC, ending in Z', z.iso.datetime()],
    ['integer', z.int()],
    ['integer, 1 to 10', z.int().min(1).max(10)],
    ['integer, above 0', z.int().positive()],
    ['number, at least 0, below 1, a multiple of 0.5', z.number().min(0).lt(1).multipleOf(0.5)],
    ['boolean', z.boolean()],
    ['null', z.null()],
    ['"a" | "b\\n"', z.enum(['a', 'b\n'])],
    ['7', z.literal(7)],
    ['string | null', z.string().nullable()],
    ['integer | "all"', z.union([z.int(), z.literal('all')])],
    ['list of string, 1 to 5 items', z.array(z.string()).min(1).max(5)],
    ['list of (string | null)', z.array(z.string().nullable())],
    ['[string, number]', z.tuple([z.string(), z.number()])],
    ['{ a: string; b?: number }', z.object({ a: z.string(), b: z.number().optional() })],
    ['{ a: string (what it is) }', z.object({ a: z.string().describe('what\n it is') })],
    ['{ [name]: number }', z.record(z.string(), z.number())],
    ['{ a: string; [name]: any value }', z.looseObject({ a: z.string() })],
    ['{ a: string; b: string }', z.object({ a: z.string() }).and(z.object({ b: z.string() }))],
    [
      '{ [name]: string } & { a: string }',
      z.record(z.string(), z.string()).and(z.object({ a: z.string() })),
    ],
    ['string matching ^a.*', z.string().startsWith('a')],
    ['string matching a and b', z.string().regex(/a/).regex(/b/)],
    ['any value', z.unknown()],
    ['any value', z.date()],
    ['{ name: string; children: list of the same again }', tree],
  ])('is %s', (words, schema) => {
    expect(text(schema)).toBe(words);
  });
});
