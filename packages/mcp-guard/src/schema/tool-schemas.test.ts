import { describe, expect, it } from 'vitest';
import { SchemaCompiler } from './schema-compiler.js';
import type { SchemaNode } from './schema-node.js';
import { ToolSchemas } from './tool-schemas.js';

const compiler = new SchemaCompiler();

function setting(inputSchema: unknown, outputSchema?: unknown) {
  const unusable: string[] = [];
  const definition = { name: 'tool', inputSchema, outputSchema };
  const schemas = new ToolSchemas(definition, compiler, (message) => unusable.push(message));
  const told = (problems: readonly { path: readonly PropertyKey[]; message: string }[]) =>
    problems.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  return {
    unusable,
    problems: (input: unknown) => told(schemas.argumentRules.check(input)),
    unknown: (input: unknown) => told(schemas.argumentRules.unknown(input)),
    results: (result: SchemaNode) => told(schemas.resultProblems(result)),
  };
}

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('what is wrong with arguments', () => {
  it('is told all at once, path by path', () => {
    const { problems } = setting(
      object(
        {
          path: { type: 'string', pattern: '^/' },
          depth: { type: 'integer', minimum: 0 },
          kind: { enum: ['file', 'folder'] },
          version: { const: 2 },
          list: { type: 'array', items: object({ name: { type: 'string' } }) },
        },
        { required: ['path', 'mode'], additionalProperties: false },
      ),
    );
    expect(
      problems({
        path: 'a',
        depth: 4.5,
        kind: 'link',
        version: 1,
        list: [{ name: 'a' }, { name: 3 }],
        dpeth: 1,
      }),
    ).toEqual([
      'mode: it is required, and missing',
      "dpeth: unknown argument; did you mean 'depth'?",
      'path: must match pattern "^/"',
      'depth: expected integer, received 4.5',
      'kind: expected one of "file", "folder"',
      'version: expected 2',
      'list.1.name: expected string, received 3',
    ]);
  });

  it('is told by the alternative that was meant, and else by their types', () => {
    const { problems } = setting(
      object({
        limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        filter: { anyOf: [object({ a: { type: 'integer' } }), { type: 'null' }] },
        either: {
          oneOf: [object({ a: { type: 'integer' } }), object({ b: { type: 'integer' } })],
        },
        text: { anyOf: [{ type: 'string', pattern: '^a' }, { type: 'integer' }] },
      }),
    );
    expect(problems({ limit: 'many' })).toEqual([
      'limit: expected integer or null, received string',
    ]);
    expect(problems({ filter: { a: 'x' } })).toEqual([
      'filter.a: expected integer, received string',
    ]);
    expect(problems({ either: { a: 'x', b: 'y' } })).toEqual([
      'either: it fits none of the alternatives, or more than one',
    ]);
    expect(problems({ text: '42' })).toEqual([
      'text: it fits none of the alternatives, or more than one',
    ]);
    expect(problems({ limit: null, filter: null, either: { a: 1, b: 'y' }, text: 42 })).toEqual([]);
  });

  it('is told once for what is said in two ways', () => {
    const { problems } = setting(object({ kind: { type: 'string', enum: ['a'] } }));
    expect(problems({ kind: 1 })).toEqual(['kind: expected string, received 1']);
    const conditional = setting({
      type: 'object',
      if: { required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['b'] },
    });
    expect(conditional.problems({ a: 1 })).toEqual(['b: it is required, and missing']);
  });

  it('knows what every object has from what was given', () => {
    const { problems } = setting(object({}, { required: ['constructor'] }));
    expect(problems({})).toEqual(['constructor: it is required, and missing']);
  });
});

describe('MCP-39: schemas of every dialect', () => {
  it('are followed into their definitions, recursive ones too', () => {
    const tree = { ...object({ value: { type: 'integer' }, child: { $ref: '#/$defs/tree' } }) };
    const { problems, unknown } = setting({
      ...object(
        {
          query: { $ref: '#/$defs/query', description: 'beside it' },
          tree: { $ref: '#/$defs/tree' },
        },
        { required: ['query'] },
      ),
      $defs: { query: { type: 'string', minLength: 2 }, tree },
    });
    expect(problems({ query: 'a', tree: { child: { child: { value: 'x' } } } })).toEqual([
      'query: must NOT have fewer than 2 characters',
      'tree.child.child.value: expected integer, received string',
    ]);
    expect(problems({})).toEqual(['query: it is required, and missing']);
    expect(unknown({ query: 'ab', tree: { child: { vaule: 1 } } })).toEqual([
      "tree.child.vaule: unknown argument; did you mean 'value'?",
    ]);
  });

  it('are read as 2020-12 where they do not say', () => {
    const { problems } = setting(
      object({ pair: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }] } }),
    );
    expect(problems({ pair: ['x', 1] })).toEqual([
      'pair.0: expected integer, received string',
      'pair.1: expected string, received 1',
    ]);
  });

  it.each(['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-06/schema'])(
    'are read as %s where they say so',
    ($schema) => {
      const { problems, unusable } = setting({
        $schema,
        ...object({
          pair: { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] },
          name: { $ref: '#/definitions/name' },
        }),
        definitions: { name: { type: 'string' } },
      });
      expect(problems({ pair: ['x', 'y'], name: 1 })).toEqual([
        'pair.0: expected integer, received string',
        'name: expected string, received 1',
      ]);
      expect(unusable).toEqual([]);
    },
  );

  it('are read as 2019-09 where they say so', () => {
    const { problems } = setting({
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      ...object({ a: { type: 'string' } }, { dependentRequired: { a: ['b'] } }),
    });
    expect(problems({ a: 'x' })).toHaveLength(1);
  });
});

describe('MCP-38: a schema that cannot be used', () => {
  it.each([
    ['leads nowhere', object({ a: { $ref: '#/$defs/none' } })],
    ['leads to another document', object({ a: { $ref: 'https://example.com/schema.json' } })],
    ['is no schema', { type: 'objekt' }],
    ['has a pattern that is none', object({ a: { pattern: '(' } })],
    [
      'has an unknown dialect',
      { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' },
    ],
  ])('because it %s checks nothing, and is told once', (_, schema) => {
    const { problems, unknown, unusable } = setting(schema);
    expect(problems({ a: 1, b: 2 })).toEqual([]);
    expect(unknown({ a: 1, b: 2 })).toEqual([]);
    expect(unusable).toHaveLength(1);
    expect(unusable[0]).toContain('tool: its inputSchema cannot be used, so its arguments');
  });

  it('of results leaves the arguments checked', () => {
    const { problems, results, unusable } = setting(object({ a: { type: 'string' } }), {
      $ref: '#/$defs/none',
    });
    expect(results({ structuredContent: {} })).toEqual([]);
    expect(problems({ a: 1 })).toHaveLength(1);
    expect(unusable[0]).toContain('its outputSchema cannot be used, so its results');
  });

  it('takes what is no validator for itself: nothing waits', () => {
    const { problems } = setting({ ...object({ a: { type: 'string' } }), $async: true });
    expect(problems({ a: 1 })).toHaveLength(1);
  });
});

describe('MCP-50: arguments that nobody would read', () => {
  const properties = {
    maxDepth: { type: 'integer' },
    filter: object({ name: { type: 'string' } }),
  };

  it('are named, with the nearest name, at any depth', () => {
    const { unknown } = setting(object(properties));
    expect(unknown({ depth: 3, filter: { nmae: '' } })).toEqual([
      "depth: unknown argument; did you mean 'maxDepth'?",
      "filter.nmae: unknown argument; did you mean 'name'?",
    ]);
    expect(unknown({ maxDepth: 3, filter: { name: '' } })).toEqual([]);
  });

  it.each([
    ['true', { additionalProperties: true }],
    ['a schema', { additionalProperties: { type: 'integer' } }],
    ['a pattern', { patternProperties: { '^d': true } }],
    ['unevaluatedProperties', { unevaluatedProperties: true }],
    ['an alternative', { anyOf: [object({ depth: true }), object({ other: true })] }],
    ['what all hold', { allOf: [{ properties: { depth: true } }] }],
  ])('are known by %s', (_, more) => {
    expect(setting(object(properties, more)).unknown({ depth: 3 })).toEqual([]);
  });

  it('are not looked for where no names are listed, or not all can be found', () => {
    expect(setting({ type: 'object' }).unknown({ depth: 3 })).toEqual([]);
    const anchored = {
      ...object({ a: true }),
      $ref: '#more',
      $defs: { more: { $anchor: 'more', properties: { depth: true } } },
    };
    expect(setting(anchored).unknown({ depth: 3 })).toEqual([]);
  });

  it('are looked for in lists', () => {
    const { unknown } = setting(object({ list: { type: 'array', items: object({ name: true }) } }));
    expect(unknown({ list: [{ name: 1 }, { nam: 1 }] })).toEqual([
      "list.1.nam: unknown argument; did you mean 'name'?",
    ]);
  });
});

describe('MCP-40: a result', () => {
  const output = object({ id: { type: 'string' } }, { required: ['id'] });

  it('is held against the output schema, where there is one', () => {
    const { results } = setting({ type: 'object' }, output);
    expect(results({ structuredContent: { id: 1 } })).toEqual([
      'structuredContent.id: expected string, received 1',
    ]);
    expect(results({ content: [] })).toEqual(['structuredContent: it is required, and missing']);
    expect(results({ structuredContent: { id: '1' } })).toEqual([]);
    expect(setting({ type: 'object' }).results({ content: [] })).toEqual([]);
  });
});
