import { StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { clients, deskGuard, text } from './desk.fixture.js';
import { failureOf } from './failure-of.js';
import { guardClient } from './guard-client.js';
import { mcpFetch } from './mcp-fetch.js';

const transports = { 'version 1': Http1, 'version 2': Http2 };

interface Asked {
  readonly id: string | number;
  readonly method: string;
}

/** A guarded client whose server is a function, over the SDK's own HTTP transport. */
async function scene(version: string, onCall: (asked: Asked) => Response) {
  const { clock, guard } = deskGuard();
  const client = clients[version]?.();
  const Transport = transports[version as keyof typeof transports];
  if (client === undefined) throw new TypeError(version);
  let calls = 0;
  const answered = (id: Asked['id'], result: object) =>
    Response.json({ jsonrpc: '2.0', id, result });
  const server = async (_: string | URL, init?: RequestInit): Promise<Response> => {
    if (init?.method !== 'POST') return new Response(null, { status: 405 });
    const asked = JSON.parse(String(init.body)) as Asked & { params?: { protocolVersion: string } };
    switch (asked.method) {
      case 'initialize':
        return answered(asked.id, {
          protocolVersion: asked.params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'desk', version: '1' },
        });
      case 'tools/list':
        return answered(asked.id, {
          tools: ['look', 'pay'].map((name) => ({ name, inputSchema: { type: 'object' } })),
        });
      case 'tools/call':
        calls += 1;
        return onCall(asked);
      default:
        return new Response(null, { status: 202 });
    }
  };
  guardClient(client, { guard, server: 'desk' });
  await client.connect(new Transport(new URL('http://desk.test/mcp'), { fetch: mcpFetch(server) }));
  const pay = () => client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
  return { clock, pay, calls: () => calls };
}

/** A stream of events, which may break instead of ending. */
function stream(events: readonly string[], breaks: boolean): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const event of events) controller.enqueue(new TextEncoder().encode(event));
      if (breaks) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

describe.each(Object.keys(clients))('the HTTP transport of %s', (version) => {
  it.each([
    ['ends', false],
    ['breaks', true],
  ] as const)(
    'MCP-21: has a stream that %s without the answer end its call at once',
    async (_, breaks) => {
      const { pay, calls } = await scene(version, () =>
        stream([': hello\n\n', 'data: {"un'], breaks),
      );
      expect(failureOf(await pay())).toMatchObject({ kind: 'transport_lost', effect: 'unknown' });
      expect(calls()).toBe(1);
    },
  );

  it('has an answer on a stream come through', async () => {
    const { pay } = await scene(version, ({ id }) =>
      stream([event({ jsonrpc: '2.0', id, result: text('paid') })], false),
    );
    expect(await pay()).toEqual(text('paid'));
  });

  it('MCP-65: has a wait that the server asks for kept, and then sends the call again', async () => {
    let isFirst = true;
    const { pay, calls, clock } = await scene(version, ({ id }) => {
      if (!isFirst) return Response.json({ jsonrpc: '2.0', id, result: text('paid') });
      isFirst = false;
      return new Response('slow down', { status: 429, headers: { 'retry-after': '7' } });
    });
    const answer = pay();
    await clock.advance(6_999);
    expect(calls()).toBe(1);
    await clock.advance(1);
    expect(await answer).toEqual(text('paid'));
    expect(calls()).toBe(2);
  });
});
