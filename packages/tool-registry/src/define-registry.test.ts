import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type AnyToolEntry,
  type ArgsOf,
  defineRegistry,
  defineTool,
  type Entry,
  isSetupError,
  type Registry,
  type ResultOf,
  read,
  type ToolName,
} from './index.js';

const write = {
  summary: 's',
  idempotency: { class: 'idempotent-write', sentAs: { header: 'Key' }, serverKeepsKeyFor: '1d' },
  resourceGroup: 'g',
  owner: 'o',
} as const;
const undo = { strength: 'strong', within: '1h' } as const;
const open = defineTool({
  ...write,
  name: 'open',
  input: z.object({ id: z.string() }),
  output: z.object({ h: z.string() }),
  compensation: { ...undo, tool: 'close', args: ({ result }) => ({ h: result.h }) },
});
const close = defineTool({
  ...write,
  name: 'close',
  input: z.object({ h: z.string() }),
  output: z.object({ id: z.string() }),
  compensation: { ...undo, tool: 'open', args: ({ result }) => ({ id: result.id }) },
});
const plain = defineTool({ ...write, name: 'plain', input: z.object({ q: z.string() }) });
const missing = defineTool({
  ...write,
  name: 'missing',
  input: z.object({ q: z.string() }),
  output: z.object({ h: z.string() }),
  compensation: { ...undo, tool: 'gone', args: ({ result }) => ({ h: result.h }) },
});
const wrong = defineTool({
  ...write,
  name: 'wrong',
  input: z.object({ q: z.string() }),
  output: z.object({ h: z.string() }),
  compensation: { ...undo, tool: 'close', args: ({ result }) => ({ x: result.h }) },
});
const tooMuch = defineTool({
  ...write,
  name: 'too_much',
  input: z.object({ q: z.string() }),
  output: z.object({ h: z.string() }),
  compensation: { ...undo, tool: 'close', args: ({ result }) => ({ h: result.h, x: 1 }) },
});
const wrongWithCarrier = defineTool({
  ...write,
  name: 'wrong_with_carrier',
  input: z.object({ q: z.string(), requestId: z.string() }),
  idempotency: {
    class: 'idempotent-write',
    sentAs: { argument: 'requestId' },
    serverKeepsKeyFor: '1d',
  },
  compensation: { ...undo, tool: 'close', args: ({ args }) => ({ x: args.q }) },
});
const literal = defineTool({
  ...write,
  name: 'literal',
  input: z.object({ mode: z.enum(['on', 'off']), tags: z.array(z.string()).optional() }),
  compensation: { ...undo, tool: 'literal', args: () => ({ mode: 'off', tags: ['a'] }) },
});
const refund = defineTool({
  ...write,
  name: 'refund',
  input: z.object({ chargeId: z.string(), requestId: z.string() }),
  idempotency: {
    class: 'idempotent-write',
    sentAs: { argument: 'requestId' },
    serverKeepsKeyFor: '1d',
  },
});
const charge = defineTool({
  ...write,
  name: 'charge',
  input: z.object({ amount: z.int() }),
  output: z.object({ chargeId: z.string() }),
  compensation: {
    ...undo,
    tool: 'refund',
    args: ({ result }) => ({ chargeId: result.chargeId }),
  },
});
const mail = defineTool({
  ...write,
  name: 'mail',
  input: z.object({ to: z.string() }),
  idempotency: { class: 'irreversible' },
  compensation: { tool: 'none', avoidBy: 'accept', reason: 'r' },
});
const options = { name: 'desk', resourceGroups: { g: {} } } as const;

describe('a registry', () => {
  const registry = defineRegistry({ ...options, tools: [open, close, plain] });

  it('holds its tools by name', () => {
    expect([...registry.tools.keys()]).toEqual(['open', 'close', 'plain']);
    expect(registry.tools.get('open')).toBe(open);
    expect([...registry.resourceGroups.keys()]).toEqual(['g']);
    expect(Object.isFrozen(registry)).toBe(true);
  });

  it('takes __proto__ and constructor for ordinary names, known or not', () => {
    expect(registry.tools.get('__proto__')).toBeUndefined();
    expect(registry.tools.get('constructor')).toBeUndefined();
    const odd = defineTool({
      ...write,
      name: '__proto__',
      input: z.object({}),
      idempotency: read(),
      resourceGroup: '__proto__',
    });
    const resourceGroups = Object.fromEntries([['__proto__', {}]]);
    const own = defineRegistry({ name: 'odd', tools: [odd], resourceGroups });
    expect(own.tools.get('__proto__')).toBe(odd);
    expect(own.resourceGroups.has('__proto__')).toBe(true);
  });

  it('has a digest of its contracts, whatever their order', () => {
    const digest = (...tools: readonly AnyToolEntry[]) =>
      defineRegistry({ ...options, tools }).digest;
    expect(digest(plain, close, open)).toBe(registry.digest);
    expect(digest(open, close)).not.toBe(registry.digest);
  });

  it.each([
    [null, ['registry']],
    [{}, ['name', 'tools', 'resourceGroups']],
    [{ name: ' ', tools: {}, resourceGroups: [] }, ['name', 'tools', 'resourceGroups']],
    [{ ...options, tools: [plain, null, { ...plain }] }, ['tools[1]', 'tools[2]']],
    [{ ...options, tools: [plain], resourceGroups: { g: { rate: 1 } } }, ['resourceGroups.g.rate']],
    [{ ...options, tools: [plain], resourceGroups: { g: null } }, ['resourceGroups.g']],
    [{ ...options, tools: [plain], tool: [] }, ['registry.tool']],
  ])('refuses from plain JavaScript %j', (given, fields) => {
    try {
      defineRegistry(given as Parameters<typeof defineRegistry>[0]);
      expect.unreachable();
    } catch (error) {
      if (!isSetupError(error, 'registry_invalid')) throw error;
      expect(error.problems.map((p) => p.field)).toEqual(fields);
    }
  });
});

describe('the types of a registry', () => {
  it('accept tools that undo each other or themselves, literals, and a carrier that the guard fills in', () => {
    const registry = defineRegistry({
      ...options,
      tools: [open, close, plain, literal, charge, refund, mail],
    });
    type Desk = typeof registry;
    expectTypeOf<Desk>().toExtend<Registry>();
    expectTypeOf<ToolName<Desk>>().toEqualTypeOf<
      'open' | 'close' | 'plain' | 'literal' | 'charge' | 'refund' | 'mail'
    >();
    expectTypeOf<Entry<Desk, 'open'>>().toEqualTypeOf<typeof open>();
    expectTypeOf<ArgsOf<Desk, 'open'>>().toEqualTypeOf<{ id: string }>();
    expectTypeOf<ResultOf<Desk, 'open'>>().toEqualTypeOf<{ h: string }>();
    expectTypeOf<ArgsOf<Desk, 'made_up'>>().toBeUnknown();
    expectTypeOf<ResultOf<Desk, 'made_up'>>().toBeUnknown();
  });

  it('say nothing about entries that are known at run time only', () => {
    const tools: readonly AnyToolEntry[] = [open, close];
    const registry = defineRegistry({ ...options, tools });
    expectTypeOf(registry).toEqualTypeOf<Registry>();
  });

  it('trust what the compiler cannot know', () => {
    const loose = defineTool({ ...write, name: 'loose', input: z.unknown() });
    const untyped = defineTool({
      ...write,
      name: 'untyped',
      input: z.object({ q: z.string() }),
      output: z.any(),
      compensation: { ...undo, tool: 'close', args: ({ result }) => result },
    });
    const toLoose = defineTool({
      ...write,
      name: 'to_loose',
      input: z.object({ q: z.string() }),
      compensation: { ...undo, tool: 'loose', args: () => ({ anything: 1 }) },
    });
    const registry = defineRegistry({ ...options, tools: [open, close, loose, untyped, toLoose] });
    expectTypeOf<ArgsOf<typeof registry, 'loose'>>().toBeUnknown();
  });

  it('refuse a compensation that is missing or takes something else', () => {
    // Compiled, never run.
    const registries = () => {
      // @ts-expect-error no tool named gone
      defineRegistry({ ...options, tools: [open, close, missing] });
      // @ts-expect-error close takes { h }
      defineRegistry({ ...options, tools: [open, close, wrong] });
      // @ts-expect-error close takes { h } alone
      defineRegistry({ ...options, tools: [open, close, tooMuch] });
      // @ts-expect-error close takes { h }, and a carrier argument does not hide that
      defineRegistry({ ...options, tools: [open, close, wrongWithCarrier] });
      // @ts-expect-error a resource group has no such setting yet
      defineRegistry({ name: 'desk', tools: [plain], resourceGroups: { g: { rate: 1 } } });
    };
    expectTypeOf(registries).toBeFunction();
  });
});
