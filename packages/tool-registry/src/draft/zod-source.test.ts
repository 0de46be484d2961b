import { describe, expect, it } from 'vitest';
import { inputSource } from './zod-source.js';

const source = (properties: object, more: object = {}, isForeign = true) =>
  inputSource({ type: 'object', properties, ...more }, isForeign, '');
/** The source of one required member. */
const member = (part: object, more: object = {}) =>
  /^z\.object\(\{\n {2}a: ([\s\S]*),\n\}\)$/.exec(
    source({ a: part }, { required: ['a'], ...more }),
  )?.[1];

describe('zod source of a JSON schema', () => {
  it.each([
    [{ type: 'string', minLength: 1, maxLength: 9 }, 'z.string().min(1).max(9)'],
    [{ type: 'string', pattern: "^'\\d$" }, "z.string().regex(new RegExp('^\\'\\\\d$', 'u'))"],
    [{ type: 'string', format: 'email' }, 'z.string()'],
    [{ type: 'integer', minimum: 0, maximum: 9 }, 'z.int().min(0).max(9)'],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'z.number().gt(0).lt(1)'],
    [{ type: 'boolean' }, 'z.boolean()'],
    [{ type: 'null' }, 'z.null()'],
    [{ type: ['string', 'null'], minLength: 1 }, 'z.string().min(1).nullable()'],
    [{ type: ['string', 'number'] }, 'z.union([z.string(), z.number()])'],
    [{ enum: ['a', 'b'] }, "z.enum(['a', 'b'])"],
    [{ enum: ['a', 1, null] }, "z.literal(['a', 1, null])"],
    [{ const: 'a' }, "z.literal('a')"],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'z.int().nullable()'],
    [{ oneOf: [{ type: 'integer' }, { type: 'string' }] }, 'z.union([z.int(), z.string()])'],
    [{ type: 'array', items: { type: 'string' }, minItems: 1 }, 'z.array(z.string()).min(1)'],
    [{ type: 'array' }, 'z.array(z.unknown())'],
    [{ type: 'object' }, 'z.looseObject({})'],
    [
      { type: 'object', additionalProperties: { type: 'integer' } },
      'z.object({}).catchall(z.int())',
    ],
    [{}, 'z.unknown()'],
  ])('%j', (part, expected) => {
    expect(member(part)).toBe(expected);
  });

  it('knows what may be left out, and what more there may be', () => {
    expect(source({ a: { type: 'string' } })).toBe('z.object({\n  a: z.string().optional(),\n})');
    expect(source({}, { additionalProperties: false })).toBe('z.strictObject({})');
    expect(source({}, { additionalProperties: true })).toBe('z.looseObject({})');
    expect(inputSource(undefined, true, '')).toBe('z.looseObject({})');
  });

  it('follows references, but not in circles', () => {
    const more = {
      $defs: { name: { type: 'string' }, tree: { properties: { up: { $ref: '#/$defs/tree' } } } },
    };
    expect(member({ $ref: '#/$defs/name' }, more)).toBe('z.string()');
    expect(member({ $ref: '#/$defs/tree' }, more)).toContain(
      "up: z.unknown().describe('TODO: decide what it takes; its schema also says $ref').optional()",
    );
  });

  it.each([
    [{ allOf: [{ type: 'string' }] }, 'allOf'],
    [{ type: 'array', items: [{ type: 'string' }] }, 'items'],
    [{ type: 'string', pattern: '(' }, 'pattern'],
    [{ type: 'object', patternProperties: {} }, 'patternProperties'],
    [{ type: 'object', properties: {}, required: ['b'] }, 'required'],
    [{ type: 'integer', minimum: '1) || process.exit(' }, 'minimum'],
    [{ $ref: 'https://example.com/schema' }, '$ref'],
  ])('marks %j as undecided', (part, keyword) => {
    expect(member(part)).toContain(
      `.describe('TODO: decide what it takes; its schema also says ${keyword}')`,
    );
  });

  it("quotes a stranger's words beside the code, and takes one's own into it", () => {
    const described = { a: { type: 'string', description: 'Say "a".\n*/', default: 1 } };
    expect(source(described)).toBe(
      'z.object({\n  // "Say \\"a\\".\\n*/"\n  // by default "1"\n  a: z.string().optional(),\n})',
    );
    expect(source(described, {}, false)).toBe(
      `z.object({\n  a: z.string().describe('Say "a".\\n*/').optional(),\n})`,
    );
  });

  it('lets no name or text out of its quotes', () => {
    const names = JSON.parse('{"__proto__":{"type":"string"},"\'});x(":{"const":"\'\\n`x"}}');
    expect(source(names, { required: Object.keys(names) })).toBe(
      "z.object({\n  ['__proto__']: z.string(),\n  '\\'});x(': z.literal('\\'\\n`x'),\n})",
    );
  });
});
