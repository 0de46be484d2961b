import { createGuard, memorySink } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { playedSession } from './played-session.fixture.js';

const common = { input: z.looseObject({}), resourceGroup: 'desk', owner: 'desk@team' };
const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({
      ...common,
      name: 'look',
      summary: 'Look something up.',
      idempotency: read(),
      timeouts: { idle: 200, total: 500 },
    }),
    defineTool({
      ...common,
      name: 'ask',
      summary: 'Ask the user something, at length.',
      idempotency: read(),
      timeouts: { idle: '10s', total: '9m' },
    }),
  ],
});

interface Heard {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** One call of a tool that is under way, or two. */
async function calling(tool: 'look' | 'ask', ids: readonly number[] = [1]) {
  const clock = manualClock();
  const events = memorySink();
  const toHost: Heard[] = [];
  const toServer: Heard[] = [];
  const guard = createGuard({
    registry,
    ledger: memoryLedger({ now: clock.wallMs }),
    clock,
    events: [events],
    settings: { attempts: 1 },
  });
  const { session, upstream, fromHost, fromServer } = playedSession({
    guard,
    front: {
      answer: (text) => toHost.push(JSON.parse(text)),
      tell: (text) => toHost.push(JSON.parse(text)),
    },
    upstream: { send: ({ text }) => toServer.push(JSON.parse(text)) },
  });
  const asked = (method: string) => toServer.filter((message) => message.method === method);
  for (const id of ids) {
    fromHost({ id, method: 'tools/call', params: { name: tool, arguments: { id } } });
  }
  await clock.advance(0);
  const tools = [{ name: tool, inputSchema: { type: 'object' } }];
  fromServer({ id: asked('tools/list')[0]?.id, result: { tools } });
  await clock.advance(0);
  expect(asked('tools/call')).toHaveLength(ids.length);
  const report = (progress: number) =>
    fromServer({
      method: 'notifications/progress',
      params: { progressToken: asked('tools/call')[0]?.id, progress },
    });

  const failure = (id = 1) =>
    toHost.find((message) => message.id === id)?.result?.structuredContent;
  const lose = () => upstream()?.onLost('the server ended');
  return { clock, fromHost, fromServer, asked, toHost, toServer, report, failure, lose, session };
}

const idle = { failure: { kind: 'timed_out', details: { limit: 'idle' } } };
const total = { failure: { kind: 'timed_out', details: { limit: 'tool', afterMs: 500 } } };

describe('MCP-13, RS-39: progress of a call', () => {
  it('has a token though the host gave none, and keeps the call alive, but not for ever', async () => {
    const { clock, asked, report, failure, toHost } = await calling('look');
    const { _meta } = Object(asked('tools/call')[0]?.params);
    expect(_meta.progressToken).toBe(asked('tools/call')[0]?.id);
    for (let at = 50; at < 500; at += 50) {
      await clock.advance(50);
      report(at);
    }
    expect(failure()).toBeUndefined();
    await clock.advance(50);
    expect(failure()).toMatchObject(total);
    expect(toHost.filter(({ method }) => method === 'notifications/progress')).toEqual([]);
    expect(asked('notifications/cancelled')).toHaveLength(1);
  });

  it('that ends, ends the call after the idle limit, and the server is told', async () => {
    const { clock, asked, report, failure } = await calling('look');
    await clock.advance(150);
    report(1);
    await clock.advance(199);
    expect(failure()).toBeUndefined();
    await clock.advance(1);
    expect(failure()).toMatchObject(idle);
    expect(asked('notifications/cancelled')).toHaveLength(1);
  });

  it('is all that counts: what else the server says is no sign of life of the call', async () => {
    const { clock, fromServer, failure } = await calling('look');
    await clock.advance(150);
    fromServer({ method: 'notifications/message', params: { level: 'info', data: 'busy' } });
    await clock.advance(50);
    expect(failure()).toMatchObject(idle);
  });
});

describe('MCP-18: a question to the user during a call', () => {
  const question = (id: number, method = 'elicitation/create') => ({ id, method, params: {} });

  it('stops its idle limit until it is answered, and not its total', async () => {
    const { clock, fromServer, fromHost, failure, toServer } = await calling('look');
    fromServer(question(0));
    await clock.advance(300);
    expect(failure()).toBeUndefined();
    fromHost({ id: 0, result: { action: 'accept', content: {} } });
    expect(toServer.at(-1)).toMatchObject({ id: 0, result: { action: 'accept' } });
    await clock.advance(199);
    expect(failure()).toBeUndefined();
    await clock.advance(1);
    expect(failure()).toMatchObject({ failure: { details: { afterMs: 500 } } });
  });

  it('that nobody answers is answered for the host, once, and the tool can still end', async () => {
    const { clock, fromServer, fromHost, asked, toHost, toServer, failure } = await calling('ask');
    fromServer(question(7));
    await clock.advance(299_999);
    expect(failure()).toBeUndefined();
    expect(toServer.filter(({ id }) => id === 7)).toEqual([]);
    await clock.advance(1);
    expect(toServer.filter(({ id }) => id === 7)).toEqual([
      { jsonrpc: '2.0', id: 7, result: { action: 'cancel' } },
    ]);
    const cancelled = toHost.filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled.map(({ params }) => params?.requestId)).toEqual([7]);
    fromHost({ id: 7, result: { action: 'accept' } });
    expect(toServer.filter(({ id }) => id === 7)).toHaveLength(1);
    fromServer({ id: asked('tools/call')[0]?.id, result: { content: [] } });
    await clock.advance(0);
    expect(toHost.find(({ id }) => id === 1)?.result).toEqual({ content: [] });
    expect(clock.pending()).toBe(0);
  });

  it('to the model of the host ends with an error', async () => {
    const { clock, fromServer, toServer } = await calling('ask');
    fromServer(question(8, 'sampling/createMessage'));
    await clock.advance(300_000);
    expect(toServer.at(-1)).toMatchObject({ id: 8, error: { message: expect.any(String) } });
  });

  it('stops the limit of the call that it belongs to, else of all', async () => {
    const { clock, asked, fromServer, failure } = await calling('look', [1, 2]);
    fromServer(question(0), asked('tools/call')[1]?.id);
    await clock.advance(200);
    expect(failure(1)).toMatchObject(idle);
    expect(failure(2)).toBeUndefined();
    const both = await calling('look', [1, 2]);
    both.fromServer(question(0));
    await both.clock.advance(200);
    expect([both.failure(1), both.failure(2)]).toEqual([undefined, undefined]);
  });

  it("outside of a call is the host's, however long it takes, and another request stops nothing", async () => {
    const { clock, asked, fromServer, toServer, failure } = await calling('look');
    fromServer(question(3, 'roots/list'));
    await clock.advance(200);
    expect(failure()).toMatchObject(idle);
    fromServer(question(4));
    await clock.advance(600_000);
    expect(toServer.filter(({ id }) => id === 4 || id === 3)).toEqual([]);
    expect(asked('notifications/cancelled')).toHaveLength(1);
  });

  it('of a server that ends is over, and no timer is left', async () => {
    const { clock, fromServer, lose, session } = await calling('ask');
    fromServer(question(9));
    lose();
    await session.end();
    await clock.advance(0);
    expect(clock.pending()).toBe(0);
  });
});
