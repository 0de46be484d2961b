import { createGuard } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry } from '@holdfast/tool-registry';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpFront, openHttpFront } from './http-front.js';

let front: HttpFront | undefined;
afterEach(() => front?.close());

/** A front on this machine whose servers answer at once, or refuse to begin. */
async function setting({ canBegin = true }: { readonly canBegin?: boolean } = {}) {
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
  const begin = async () => {
    const response = await post('initialize');
    await response.text();
    return { status: response.status, session: response.headers.get('mcp-session-id') ?? '' };
  };
  const statusOf = async (session: string) => (await post('ping', session)).status;
  return { clock, post, begin, statusOf, servers: () => servers };
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
