import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRegistry } from '../define-registry.js';
import { defineTool } from '../define-tool.js';
import { read } from '../idempotency.js';
import { printLock, readLock } from './lock-file.js';
import { lockedRegistry, lockedServer, pinnedDefinition } from './locked-tools.js';
import { tellChange, toolChanges } from './tool-changes.js';

const registry = (change: object = {}) =>
  defineRegistry({
    name: 'desk',
    resourceGroups: { g: {} },
    tools: [
      defineTool({
        name: 'look',
        summary: 'Look something up.',
        input: z.object({ id: z.string() }),
        idempotency: read(),
        resourceGroup: 'g',
        owner: 'o@team',
        ...change,
      }),
    ],
  });
const definition = {
  name: 'look',
  description: 'Look.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string' }, at: { type: 'string' } },
    required: ['id', 'at'],
  },
  annotations: { readOnlyHint: true },
  _meta: { vendor: 1 },
};
const changes = (is: object) =>
  toolChanges(
    lockedServer('s', [definition]).tools,
    lockedServer('s', [{ ...definition, ...is }]).tools,
  ).flatMap(tellChange);

describe('a lock file', () => {
  it('reads as what was written, in an order that does not depend on who wrote it', () => {
    const lock = { registry: lockedRegistry(registry()), server: lockedServer('s', [definition]) };
    const text = printLock(lock);
    expect(readLock(text)).toEqual({ lock: { lockVersion: 1, ...lock } });
    const turned = Object.fromEntries(Object.entries(definition).reverse());
    expect(printLock({ ...lock, server: lockedServer('s', [{ name: '', ...turned }]) })).toBe(text);
  });

  it.each(['{', '[]', '{"lockVersion":2}', '{"lockVersion":1,"server":{}}'])(
    '%s is none, and it is said why',
    (text) => {
      expect(readLock(text)).toEqual({ problem: expect.stringMatching(/^it is no /) });
    },
  );
});

describe('what changed of a registry', () => {
  const told = (change: object) =>
    toolChanges(lockedRegistry(registry()).tools, lockedRegistry(registry(change)).tools).flatMap(
      tellChange,
    );

  it('is told by field: what it promises, and what a model reads', () => {
    expect(told({ summary: 'Look at it.', input: z.object({ id: z.int() }) })).toEqual([
      expect.stringMatching(/^look: input\.properties\.id\.maximum: nothing is now/),
      expect.stringMatching(/^look: input\.properties\.id\.minimum: nothing is now/),
      'look: input.properties.id.type: "string" is now "integer"',
      'look: texts.summary: "Look something up." is now "Look at it."',
    ]);
  });

  it('is nothing where only an owner or a time limit is another one', () => {
    expect(told({ owner: 'p@team', timeouts: { total: '5s' } })).toEqual([]);
  });
});

describe('MCP-43: what changed of a live server', () => {
  it('is told by field', () => {
    expect(changes({ description: 'Look, and tell everybody.' })).toEqual([
      'look: description: "Look." is now "Look, and tell everybody."',
    ]);
    expect(changes({ annotations: undefined, title: 'Look' })).toEqual([
      'look: annotations: {"readOnlyHint":true} is now nothing',
      'look: title: nothing is now "Look"',
    ]);
    expect(
      changes({
        inputSchema: { ...definition.inputSchema, properties: { id: { type: 'string' } } },
      }),
    ).toEqual(['look: inputSchema.properties.at: {"type":"string"} is now nothing']);
  });

  it('is nothing where members or required names stand in another order, or a vendor added something', () => {
    const { type, properties } = definition.inputSchema;
    const { id, at } = properties;
    expect(
      changes({ inputSchema: { required: ['at', 'id'], properties: { at, id }, type } }),
    ).toEqual([]);
    expect(changes({ _meta: { vendor: 2 }, icons: [] })).toEqual([]);
  });

  it('is that a tool came or went', () => {
    const tools = (...names: readonly string[]) =>
      lockedServer(
        's',
        names.map((name) => ({ name })),
      ).tools;
    expect(toolChanges(tools('a', 'b'), tools('b', '__proto__')).flatMap(tellChange)).toEqual([
      '__proto__: new',
      'a: gone',
    ]);
  });

  it('counts the first of two tools with one name', () => {
    const twice = lockedServer('s', [definition, { name: 'look' }]);
    expect(twice.tools).toEqual({ look: pinnedDefinition(definition) });
  });

  it('shows no more of a long text than a line holds', () => {
    const [line] = changes({ description: 'x'.repeat(10_000) });
    expect(line?.length).toBeLessThan(300);
  });
});
