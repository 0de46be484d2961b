import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SchemaCompiler } from '../schema/schema-compiler.js';
import { ToolSchemas } from '../schema/tool-schemas.js';
import { registryFindings } from './registry-findings.js';

const compiler = new SchemaCompiler();
const registry = (input: z.ZodType) =>
  defineRegistry({
    name: 'desk',
    resourceGroups: { g: {} },
    tools: [
      defineTool({
        name: 'look',
        summary: 'Look something up.',
        input,
        idempotency: read(),
        resourceGroup: 'g',
        owner: 'o@team',
      }),
    ],
  });
const tool = (definition: { readonly name: string; readonly inputSchema?: object }) => ({
  name: definition.name,
  definition,
  schemas: new ToolSchemas(definition, compiler, () => {}),
});
const found = (
  input: z.ZodType,
  definitions: readonly { readonly name: string; readonly inputSchema?: object }[],
  reviewed?: Readonly<Record<string, unknown>>,
) =>
  registryFindings(registry(input), definitions.map(tool), reviewed).map(
    ({ tool: name, rule, message }) => `${name}: ${rule}: ${message}`,
  );
const look = (properties: object, more: object = {}) => [
  { name: 'look', inputSchema: { type: 'object', properties, ...more } },
];

describe('a registry beside a live server', () => {
  it('agrees with it', () => {
    const input = z.object({ id: z.string(), n: z.int().optional(), more: z.unknown() });
    const properties = { id: { type: 'string' }, n: { type: ['number', 'null'] }, more: {} };
    expect(found(input, look({ ...properties, other: {} }, { required: ['id'] }))).toEqual([]);
  });

  it('has tools that are not there, and not all that are', () => {
    expect(found(z.object({}), [{ name: 'lock' }])).toEqual([
      'look: missing: the registry has it, the server does not',
      'lock: extra: the server has it, the registry does not: it is unknown',
    ]);
  });

  it('takes arguments that the server does not, or lacks those that it needs', () => {
    const input = z.object({ id: z.string(), at: z.string().optional(), x: z.string() });
    const properties = { id: { type: 'integer' }, at: { type: 'string' }, n: {} };
    expect(found(input, look(properties, { required: ['at', 'n'] }))).toEqual([
      'look: arguments: the server does not know x',
      'look: arguments: the server requires at, the registry does not',
      'look: arguments: the server requires n, which the registry does not know',
      'look: arguments: id is string, for the server integer',
    ]);
  });

  it('may have more arguments where the server takes any', () => {
    const input = z.object({ x: z.string() });
    expect(found(input, look({ id: {} }, { additionalProperties: true }))).toEqual([]);
    expect(found(input, look({ id: {} }, { anyOf: [{}] }))).toEqual([]);
    expect(found(input, look({}))).toEqual([]);
    expect(found(input, look({ id: {} }, { additionalProperties: false }))).toHaveLength(1);
  });

  it('is told what changed since a person reviewed it', () => {
    const [now] = look({});
    expect(found(z.object({}), look({}), { look: now })).toEqual([]);
    expect(found(z.object({}), look({}), {})).toEqual([]);
    expect(found(z.object({}), look({}), { look: { ...now, description: 'Look.' } })).toEqual([
      'look: changed: description: "Look." is now nothing',
    ]);
  });
});
