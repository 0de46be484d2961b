import { createGuard, type Mode, memorySink } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { playedSession } from './played-session.fixture.js';
import { presumedClass } from './presumed-class.js';
import type { SessionOptions } from './session.js';
import { aliasOf } from './tool-alias.js';

const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({
      name: 'declared',
      summary: 'Look something up.',
      input: z.looseObject({}),
      idempotency: read(),
      resourceGroup: 'desk',
      owner: 'desk@team',
    }),
  ],
});

const destroys = { destructiveHint: true };
const reads = { readOnlyHint: true };

/** A session with a server that lists tools with these annotations, and does what it is asked. */
function setting(
  annotations: Readonly<Record<string, object | undefined>>,
  options: Pick<SessionOptions, 'trustsAnnotations' | 'toolNames'> & { readonly mode?: Mode } = {},
) {
  const clock = manualClock();
  const events = memorySink();
  const ledger = memoryLedger({ now: clock.wallMs });
  const { mode = 'enforce', ...rest } = options;
  const guard = createGuard({ registry, ledger, clock, events: [events], mode, random: () => 0 });
  const tools = Object.entries(annotations).map(([name, given]) => ({
    name,
    inputSchema: { type: 'object' },
    ...(given === undefined ? {} : { annotations: given }),
  }));
  const sent: string[] = [];
  const answers = new Map<unknown, (message: Answer) => void>();
  let refuse = 0;
  const { fromHost, fromServer } = playedSession({
    guard,
    ...rest,
    front: { answer: (text, id) => answers.get(id)?.({ ...JSON.parse(text), text }) },
    upstream: {
      send({ text }) {
        const { id, method, params } = JSON.parse(text);
        if (method === 'tools/call') sent.push(params.name);
        const isLost = method === 'tools/call' && refuse > 0;
        if (isLost) refuse -= 1;
        const answer = isLost
          ? { error: { code: -32000, message: 'Connection closed' } }
          : { result: method === 'tools/list' ? { tools } : { content: [] } };
        fromServer({ id, ...answer });
      },
    },
  });
  let asked = 0;
  const ask = async (method: string, params: object) => {
    asked += 1;
    const id = asked;
    const answered = new Promise<Answer>((resolve) => {
      answers.set(id, resolve);
    });
    fromHost({ id, method, params });
    for (let turn = 0; turn < 5; turn += 1) await clock.advance(1_000);
    return answered;
  };
  const call = (name: string, args: object = {}) => ask('tools/call', { name, arguments: args });
  const lose = (times: number) => {
    refuse = times;
  };
  const rows = () => ledger.find({ tenant: 'default', intentId: 'mcp:desk' });
  return { ask, call, sent, clock, lose, rows, events };
}

interface Answer {
  readonly text: string;
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly structuredContent?: { readonly failure?: { readonly kind?: string } };
  };
}

const kindOf = ({ result }: Answer) => result?.structuredContent?.failure?.kind;
const listOf = (answer: Answer) => answer.result?.tools?.map(({ name }) => name);

describe('what a server says of its tools', () => {
  it('makes them no safer than they are, unless a person trusts it', async () => {
    const { call, lose, sent, rows } = setting({ look: reads });
    lose(1);
    expect((await call('look')).text).toContain('Connection closed');
    expect(sent).toEqual(['look']);
    expect((await rows()).map(({ class: of }) => of)).toEqual(['undeclared']);
    const trusted = setting({ look: reads }, { trustsAnnotations: true });
    trusted.lose(1);
    expect(kindOf(await trusted.call('look'))).toBeUndefined();
    expect(trusted.sent).toEqual(['look', 'look']);
    expect(await trusted.rows()).toEqual([]);
  });

  it('makes them more dangerous: what cannot be undone is not repeated unasked', async () => {
    const { call, sent } = setting({ drop: destroys, note: undefined });
    await call('drop', { table: 1 });
    expect(kindOf(await call('drop', { table: 1 }))).toBe('confirmation_required');
    expect(kindOf(await call('drop', { table: 2 }))).toBeUndefined();
    await call('note');
    expect(kindOf(await call('note'))).toBeUndefined();
    expect(sent).toEqual(['drop', 'drop', 'note', 'note']);
  });

  it('changes nothing for a tool with an entry', async () => {
    const { call, sent, rows } = setting({ declared: destroys });
    await call('declared');
    await call('declared');
    expect(sent).toEqual(['declared', 'declared']);
    expect(await rows()).toEqual([]);
  });

  it.each([
    [undefined, undefined],
    ['text', undefined],
    [{}, undefined],
    [{ readOnlyHint: true, destructiveHint: true }, 'read'],
    [{ readOnlyHint: 'true' }, undefined],
    [{ destructiveHint: true }, 'irreversible'],
    [{ destructiveHint: true, idempotentHint: true }, undefined],
    [{ destructiveHint: false }, undefined],
  ])('%j is %s', (annotations, presumed) => {
    expect(presumedClass({ annotations }, true)).toBe(presumed);
    expect(presumedClass(undefined, true)).toBeUndefined();
    if (presumed === 'read') expect(presumedClass({ annotations }, false)).toBeUndefined();
  });
});

describe('a tool whose name some providers refuse', () => {
  const name = 'files/read.all';
  const alias = aliasOf(name) ?? '';

  it('has another one in the list, and is called by either; server, ledger and events know its own', async () => {
    const { ask, call, sent, rows, events } = setting({ [name]: undefined, plain: undefined });
    expect(listOf(await ask('tools/list', {}))).toEqual([alias, 'plain']);
    await call(alias, { path: 1 });
    await call(name, { path: 2 });
    expect(sent).toEqual([name, name]);
    expect((await rows()).map(({ tool }) => tool)).toEqual([name, name]);
    expect(new Set(events.of('call_finished').map(({ tool }) => tool))).toEqual(new Set([name]));
  });

  it('is one wish under both names', async () => {
    const { call, sent } = setting({ [name]: destroys });
    await call(alias, { path: 1 });
    expect(kindOf(await call(name, { path: 1 }))).toBe('confirmation_required');
    expect(sent).toEqual([name]);
  });

  it('leaves a tool alone that has such a name itself', async () => {
    const { call, sent } = setting({ [alias]: undefined, [name]: undefined });
    await call(alias);
    expect(sent).toEqual([alias]);
  });

  it('keeps it where the host wants it so, and where the guard only watches', async () => {
    for (const options of [{ toolNames: 'own' }, { mode: 'shadow' }, { mode: 'off' }] as const) {
      const { ask } = setting({ [name]: undefined }, options);
      expect(listOf(await ask('tools/list', {}))).toEqual([name]);
    }
  });

  it('is not known by an alias that belongs to no tool', async () => {
    const { call, sent } = setting({ plain: undefined });
    expect(kindOf(await call('plain_0123abcd'))).toBe('unknown_tool');
    expect(sent).toEqual([]);
  });
});
