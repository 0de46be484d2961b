import { once } from 'node:events';
import { request } from 'node:http';
import { createGuard } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry } from '@holdfast/tool-registry';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpFront, openHttpFront } from './http-front.js';

let front: HttpFront | undefined;
afterEach(() => front?.close());

/** A front on this machine whose servers answer at once, or refuse to begin. */
async function setting({
  canBegin = true,
  ending,
}: {
  readonly canBegin?: boolean;
  readonly ending?: Promise<void>;
} = {}) {
  const clock = manualClock();
  let servers = 0;
  const opened = await openHttpFront({
    guard: createGuard({
      registry: defineRegistry({ name: 'none', tools: [], resourceGroups: {} }),
      ledger: memoryLedger({ now: clock.wallMs }),
      clock,
    }),
    server: 'desk',
    host: '127.0.0.1',
    port: 0,
    log: () => {},
    connect(events) {
      servers += 1;
      return {
        carriesHeaders: false,
        send({ id, method }) {
          if (id === undefined || method === 'stalls') return;
          const said = canBegin ? { result: {} } : { error: { code: -32000, message: 'no' } };
          events.onMessage({ line: JSON.stringify({ jsonrpc: '2.0', id, ...said }) });
        },
        ready: async () => {},
        giveUp: () => {},
        async close() {
          await ending;
          servers -= 1;
        },
      };
    },
  });
  front = opened;
  const post = (method: string, session?: string) =>
    fetch(opened.url, {
      method: 'POST',
      headers: {
        accept: '*/*',
        'content-type': 'application/json',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
    });
  const send = (body: string, session: string) =>
    fetch(opened.url, {
      method: 'POST',
      headers: { accept: '*/*', 'content-type': 'application/json', 'mcp-session-id': session },
      body,
    });
  const begin = async () => {
    const response = await post('initialize');
    await response.text();
    return { status: response.status, session: response.headers.get('mcp-session-id') ?? '' };
  };
  const statusOf = async (session: string) => (await post('ping', session)).status;
  const { url } = opened;
  return { url, clock, post, send, begin, statusOf, servers: () => servers };
}

describe('sessions', () => {
  it('are 64 at a time; one that nobody has used for a minute makes room', async () => {
    const { clock, begin, statusOf, servers } = await setting();
    const { session: first } = await begin();
    await clock.advance(1);
    for (let made = 1; made < 64; made += 1) await begin();
    await clock.advance(59_998);
    expect((await begin()).status).toBe(503);
    await clock.advance(1);
    expect((await begin()).status).toBe(200);
    expect(servers()).toBe(64);
    expect(await statusOf(first)).toBe(404);
  });

  it('end after 30 minutes in which nobody uses them', async () => {
    const { clock, begin, statusOf, servers } = await setting();
    const { session } = await begin();
    const { session: used } = await begin();
    for (let minute = 0; minute < 31; minute += 1) {
      await clock.advance(60_000);
      expect(await statusOf(used)).toBe(200);
    }
    expect(await statusOf(session)).toBe(404);
    expect(servers()).toBe(1);
  });

  it('of a server that refuses to begin are none', async () => {
    const { begin, statusOf, servers } = await setting({ canBegin: false });
    const { status, session } = await begin();
    expect([status, await statusOf(session), servers()]).toEqual([200, 404, 0]);
  });
});

it('a session whose body comes while all is ended is not begun', async () => {
  let end = (): void => {};
  const ending = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { url, begin, servers } = await setting({ ending });
  await begin();
  const headers = { accept: '*/*', 'content-type': 'application/json' };
  const sending = request(url, { method: 'POST', headers });
  const answered = once(sending, 'response');
  // The head, and half of the body.
  sending.write('{"jsonrpc":"2.0","id":1,');
  await once(sending, 'socket');
  await fetch(url).then((response) => response.text());
  const closing = front?.close();
  sending.end('"method":"initialize"}');
  const [response] = await answered;
  expect(response.statusCode).toBe(503);
  response.resume();
  end();
  await closing;
  expect(servers()).toBe(0);
});

describe('a body', () => {
  it('may begin with a byte order mark', async () => {
    const { begin, send } = await setting();
    const { session } = await begin();
    const response = await send('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', session);
    expect(await response.text()).toContain('"result"');
  });

  it('of two requests with one id is refused: the second would have no answer', async () => {
    const { begin, send } = await setting();
    const { session } = await begin();
    const request = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    expect((await send(`[${request},${request}]`, session)).status).toBe(400);
  });
});

it('a stream on which nothing is said gets a comment every 15 seconds', async () => {
  const { clock, begin, post } = await setting();
  const { session } = await begin();
  let response: Response | undefined;
  void post('stalls', session).then((head) => {
    response = head;
  });
  // Its head comes when it has waited for a while.
  while (response === undefined) await clock.advance(1);
  await clock.advance(30_000);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < 2 * ': keepalive\n\n'.length) text += (await reader?.read())?.value;
  expect(text).toBe(': keepalive\n\n: keepalive\n\n');
});
