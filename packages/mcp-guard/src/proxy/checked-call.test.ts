import { createGuard, memorySink } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isRecord, memberText } from '../message/message.js';
import { META } from './meta.js';
import { playedSession } from './played-session.fixture.js';

const of = { resourceGroup: 'desk', owner: 'desk@team' };
const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({
      ...of,
      name: 'look',
      summary: 'Look something up.',
      input: z.looseObject({}),
      idempotency: read(),
    }),
    defineTool({
      ...of,
      name: 'book',
      summary: 'Book a table.',
      input: z.object({ table: z.number(), requestId: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { argument: 'requestId' },
        serverKeepsKeyFor: '1d',
      },
    }),
  ],
});

/** A call of a server's tool with these schemas, which answers `{"structuredContent":…}` if it is asked. */
async function calling(
  tool: {
    readonly name?: string;
    readonly inputSchema?: object;
    readonly outputSchema?: object;
    readonly answers?: object;
  },
  argumentsText: string | undefined,
  mode: 'enforce' | 'shadow' = 'enforce',
) {
  const { name = 'tool', answers = { content: [] }, ...schemas } = tool;
  const clock = manualClock();
  const events = memorySink();
  const toHost: string[] = [];
  const toServer: string[] = [];
  const guard = createGuard({
    registry,
    ledger: memoryLedger({ now: clock.wallMs }),
    clock,
    events: [events],
    mode,
  });
  const { session, fromServer } = playedSession({
    guard,
    front: { answer: (text) => toHost.push(text), tell: (text) => toHost.push(text) },
    upstream: { send: ({ text }) => toServer.push(text) },
  });
  const reply = async (method: string, result: object) => {
    await clock.advance(0);
    const asked = toServer.findLast(
      (text) => memberText(text, 'method') === JSON.stringify(method),
    );
    if (asked === undefined) return;
    fromServer({ id: JSON.parse(memberText(asked, 'id') ?? 'null'), result });
    await clock.advance(0);
  };
  const lists = () =>
    reply('tools/list', { tools: [{ name, ...schemas }, { name: 'book_table' }] });
  if (mode === 'shadow') {
    // Who only watches does not wait for the list, and has it from the first call on.
    session.fromHost('{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"other"}}');
    await lists();
  }
  const args = argumentsText === undefined ? '' : `,"arguments":${argumentsText}`;
  session.fromHost(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}"${args}}}`,
  );
  if (mode === 'enforce') await lists();
  await reply('tools/call', answers);
  const sent = toServer.findLast((text) => memberText(text, 'method') === '"tools/call"');
  const result: unknown = JSON.parse(memberText(toHost[0] ?? '', 'result') ?? '{}');
  const meta: unknown = isRecord(result) ? result._meta : undefined;
  const told = isRecord(meta) ? meta : {};
  const failure = told[META.failure];
  return {
    sent: sent === undefined ? undefined : memberText(sent, 'params', 'arguments'),
    warnings: told[META.warnings],
    kind: isRecord(failure) ? failure.kind : undefined,
    effect: isRecord(failure) ? failure.effect : undefined,
    problems: isRecord(failure) && isRecord(failure.details) ? failure.details.problems : undefined,
    shadowed: events.of('mechanism_shadowed').map(({ kind }) => kind),
    warned: events.of('warning').map(({ code }) => code),
    isError: isRecord(result) ? result.isError : undefined,
  };
}

const taking = (properties: object, more: object = {}) => ({
  inputSchema: { type: 'object', properties, ...more },
});

describe('arguments by the schema of the server', () => {
  it('go on as they were written where nothing is wrong with them', async () => {
    const { sent, warnings } = await calling(
      taking({ n: { type: 'number' }, filter: { type: 'string' } }),
      '{ "n": 1.0, "filter": "{\\"a\\":1}" }',
    );
    expect(sent).toBe('{ "n": 1.0, "filter": "{\\"a\\":1}" }');
    expect(warnings).toBeUndefined();
  });

  it('are refused with all that is wrong, and nothing is sent', async () => {
    const { sent, kind, effect, problems } = await calling(
      taking({ a: { type: 'integer' }, b: { type: 'string' } }, { required: ['b'] }),
      '{"a":"x"}',
    );
    expect({ sent, kind, effect }).toEqual({
      sent: undefined,
      kind: 'invalid_arguments',
      effect: 'none',
    });
    expect(problems).toEqual([
      { path: ['b'], message: 'it is required, and missing' },
      { path: ['a'], message: 'expected integer, received string' },
    ]);
  });

  it('are not held against a schema that cannot be used, which is told', async () => {
    const { sent, warned } = await calling(taking({ a: { $ref: '#/$defs/none' } }), '{"a":1}');
    expect(sent).toBe('{"a":1}');
    expect(warned).toEqual(['schema_unusable']);
  });

  it('come after those of the entry, and without the key that the guard puts in', async () => {
    const schema = taking(
      { table: { type: 'integer' }, requestId: { type: 'string' } },
      { required: ['table', 'requestId'], additionalProperties: false },
    );
    const good = await calling({ name: 'book', ...schema }, '{"table":4}');
    expect(JSON.parse(good.sent ?? '')).toEqual({ table: 4, requestId: expect.any(String) });
    const bad = await calling({ name: 'book', ...schema }, '{"table":4.5}');
    expect(bad.kind).toBe('invalid_arguments');
    expect(bad.sent).toBeUndefined();
  });
});

describe('what only watches', () => {
  it('sends wrong arguments as they came, and records that it would not have', async () => {
    const tool = taking({ a: { type: 'integer' } });
    const { sent, warned, shadowed } = await calling(tool, '{"a":"x"}', 'shadow');
    expect({ sent, warned }).toEqual({ sent: '{"a":"x"}', warned: [] });
    expect(shadowed).toEqual(['invalid_arguments']);
  });
});

describe('MCP-45: an object or list as JSON text', () => {
  const schema = taking({
    filter: { type: 'object', properties: { a: { type: 'integer' } } },
    list: { type: ['array', 'null'], items: { type: 'integer' } },
    optional: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    text: { type: 'string' },
    either: { anyOf: [{ type: 'string', maxLength: 2 }, { type: 'object' }] },
    exact: { type: 'number' },
  });

  it('is read where the schema takes no text, and the rest stays as it was written', async () => {
    const { sent, warnings } = await calling(
      schema,
      '{"filter":"{\\"a\\":\\"1\\"}","list":"[1,2]","optional":"{}","text":"{}","exact":1.0}',
    );
    expect(sent).toBe('{"filter":{"a":1},"list":[1,2],"optional":{},"text":"{}","exact":1.0}');
    expect(warnings).toEqual([
      'argument_repaired: filter: text read as object',
      'argument_repaired: list: text read as array',
      'argument_repaired: optional: text read as object',
      'argument_repaired: filter.a: text read as integer',
    ]);
  });

  it.each(['{"filter":"no JSON"}', '{"filter":"[1]"}', '{"list":"[\\"x\\"]"}', '{"either":"{}a"}'])(
    'is refused in %s',
    async (args) => {
      const { sent, kind } = await calling(schema, args);
      expect({ sent, kind }).toEqual({ sent: undefined, kind: 'invalid_arguments' });
    },
  );

  it('of all arguments is read too', async () => {
    expect((await calling(schema, '"{\\"text\\":\\"a\\"}"')).sent).toBe('{"text":"a"}');
  });
});

describe('MCP-46: numbers and booleans as text', () => {
  const schema = taking({
    count: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    ratio: { type: 'number' },
    yes: { type: 'boolean' },
  });

  it.each([
    ['{"count":"42"}', '{"count":42}'],
    ['{"ratio":"4.5"}', '{"ratio":4.5}'],
    ['{"yes":"true"}', '{"yes":true}'],
  ])('%s is sent as %s', async (given, sent) => {
    expect((await calling(schema, given)).sent).toBe(sent);
  });

  it.each(['4.5', '0x10', '1e3', '', '1,000', '9007199254740993'])(
    'the integer "%s" is refused, with what was expected',
    async (count) => {
      const { sent, problems } = await calling(schema, JSON.stringify({ count }));
      expect(sent).toBeUndefined();
      expect(problems).toEqual([
        { path: ['count'], message: 'expected integer or null, received string' },
      ]);
    },
  );
});

describe('MCP-48: null', () => {
  const schema = taking(
    {
      id: { type: 'string' },
      note: { type: 'string' },
      kind: { enum: ['a', 'b'] },
      memo: { type: ['string', 'null'] },
      either: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      inner: { type: 'object', properties: { deep: { type: 'string' } } },
      list: { type: 'array', items: { type: 'string' } },
    },
    { required: ['id'] },
  );

  it('is left out where it is optional and unknown, and stays where it is known', async () => {
    const { sent, warnings } = await calling(
      schema,
      '{"id":"x","note":null,"kind":null,"memo":null,"either":null,"inner":{"deep":null}}',
    );
    expect(sent).toBe('{"id":"x","memo":null,"inner":{}}');
    expect(warnings).toEqual([
      'argument_repaired: note: null left out',
      'argument_repaired: kind: null left out',
      'argument_repaired: either: null left out',
      'argument_repaired: inner.deep: null left out',
    ]);
  });

  it.each(['{"id":null}', '{"id":"x","list":["a",null]}'])('is refused in %s', async (args) => {
    const { sent, kind } = await calling(schema, args);
    expect({ sent, kind }).toEqual({ sent: undefined, kind: 'invalid_arguments' });
  });
});

describe('MCP-50: a misspelled option', () => {
  const schema = taking({ path: { type: 'string' }, maxDepth: { type: 'integer' } });

  it('of a tool that may have effects is refused with the nearest name', async () => {
    const { sent, problems } = await calling(schema, '{"path":"/","depth":3}');
    expect(sent).toBeUndefined();
    expect(problems).toEqual([
      { path: ['depth'], message: "unknown argument; did you mean 'maxDepth'?" },
    ]);
  });

  it('of a read is sent, with a warning', async () => {
    const { sent, warnings } = await calling({ name: 'look', ...schema }, '{"depth":3}');
    expect(sent).toBe('{"depth":3}');
    expect(warnings).toEqual([
      "argument_ignored: depth: unknown argument; did you mean 'maxDepth'?",
    ]);
  });
});

describe('MCP-51: arguments that are no object', () => {
  it.each([undefined, 'null'])('%s are none', async (args) => {
    const { sent, isError } = await calling({ inputSchema: { type: 'object' } }, args);
    expect({ sent, isError }).toEqual({ sent: undefined, isError: undefined });
  });

  it.each(['[1]', '"text"', '7', 'true'])('%s are refused, whatever the schema', async (args) => {
    for (const tool of [{}, taking({}), taking({ a: { $ref: '#/none' } })]) {
      const { sent, kind, effect } = await calling(tool, args);
      expect({ sent, kind, effect }).toEqual({
        sent: undefined,
        kind: 'invalid_arguments',
        effect: 'none',
      });
    }
  });
});

describe('MCP-40: a result that is not as promised', () => {
  const outputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

  it('is a success with a warning', async () => {
    const { isError, warnings, warned } = await calling(
      { outputSchema, answers: { content: [], structuredContent: { id: 1 } } },
      '{}',
    );
    expect(isError).toBeUndefined();
    expect(warnings).toEqual(['result_invalid: structuredContent.id: expected string, received 1']);
    expect(warned).toEqual(['result_invalid']);
  });

  it('of a read is one too', async () => {
    const { isError, warnings } = await calling(
      { name: 'look', outputSchema, answers: { content: [] } },
      '{}',
    );
    expect(isError).toBeUndefined();
    expect(warnings).toEqual(['result_invalid: structuredContent: it is required, and missing']);
  });

  it('is not asked for where the tool says that it failed', async () => {
    const { isError, warned } = await calling(
      { outputSchema, answers: { content: [], isError: true } },
      '{}',
    );
    expect(isError).toBe(true);
    expect(warned).toEqual([]);
  });
});
