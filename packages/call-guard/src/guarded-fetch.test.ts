import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedFetch } from './guarded-fetch.js';
import { desk, gist } from './order-tools.fixture.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server on the loopback that keeps what it was asked. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ url: string; seen: { method?: string; key?: unknown; other?: unknown }[] }> {
  const seen: { method?: string; key?: unknown; other?: unknown }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      seen.push({
        ...(request.method === undefined ? {} : { method: request.method }),
        key: request.headers['idempotency-key'],
        other: request.headers['x-other'],
      });
      answer(request, response, body);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, seen };
}

/** A port on which nothing listens. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

/** Waits come to an end at once: what is real here is the network. */
function impatient() {
  const shop = desk({ settings: { attempts: 3, backoffBaseMs: 1 } });
  const { sleep } = shop.clock;
  Object.assign(shop.clock, { sleep: (...args: Parameters<typeof sleep>) => sleep(0, args[1]) });
  return shop;
}

/** Lets timers of no length ring while the network works. */
async function driven<T>(shop: ReturnType<typeof impatient>, work: Promise<T>): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  while (!over) await shop.clock.advance(0);
  return work;
}

const delivery = {
  tool: 'set_delivery',
  args: { orderId: 'o1', slot: 'am' },
  callId: 'c1',
} as const;
const mail = { tool: 'send_mail', args: { to: 'a', subject: 's' }, callId: 'c1' } as const;

describe('guardedFetch', () => {
  it('sends the key in the declared header, beside the headers that were given', async () => {
    const shop = impatient();
    const { url, seen } = await serve((_request, response) => response.end('set'));
    const answer = await driven(
      shop,
      shop.run(() =>
        shop.guard.call(delivery, async () => {
          const response = await guardedFetch(url, {
            method: 'POST',
            body: '{}',
            headers: { 'x-other': 'o' },
          });
          return response.text();
        }),
      ),
    );
    expect(answer).toMatchObject({ ok: true, result: 'set', warnings: [] });
    expect(seen).toEqual([{ method: 'POST', key: answer.ok && answer.key, other: 'o' }]);
  });

  it('carries what is left of the time of its attempt', async () => {
    const shop = impatient();
    const left: unknown[] = [];
    const { url } = await serve((request, response) => {
      left.push(request.headers['x-agent-deadline-ms']);
      response.end('set');
    });
    await driven(
      shop,
      shop.run(() => shop.guard.call(delivery, async () => (await guardedFetch(url)).text())),
    );
    expect(left).toEqual(['1000']);
  });

  it('keeps the headers of a Request', async () => {
    const shop = impatient();
    const { url, seen } = await serve((_request, response) => response.end('set'));
    await driven(
      shop,
      shop.run(() =>
        shop.guard.call(delivery, async () => {
          await guardedFetch(new Request(url, { method: 'PUT', headers: { 'x-other': 'o' } }));
        }),
      ),
    );
    expect(seen).toMatchObject([{ method: 'PUT', other: 'o' }]);
    expect(seen[0]?.key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('re-sends a keyed write whose response was cut off, with the same key', async () => {
    const shop = impatient();
    let served = 0;
    const { url, seen } = await serve((request, response) => {
      served += 1;
      if (served === 1) request.socket.destroy();
      else if (served === 2) {
        response.writeHead(200, { 'content-length': '10' });
        response.write('half', () => request.socket.destroy());
      } else response.end('set');
    });
    const answer = await driven(
      shop,
      shop.run(() =>
        shop.guard.call(delivery, async () =>
          (await guardedFetch(url, { method: 'POST', body: '{}' })).text(),
        ),
      ),
    );
    expect(answer).toMatchObject({ ok: true, result: 'set', attempts: 3 });
    expect(seen.length).toBe(3);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  });

  it('an irreversible call is made again when its connection was refused', async () => {
    const shop = impatient();
    const refused = await closedPort();
    const { url, seen } = await serve((_request, response) => response.end('sent'));
    let ran = 0;
    const answer = await driven(
      shop,
      shop.run(() =>
        shop.guard.call(mail, async () => {
          ran += 1;
          return (await guardedFetch(ran === 1 ? refused : url, { method: 'POST' })).text();
        }),
      ),
    );
    expect(answer).toMatchObject({ ok: true, result: 'sent', attempts: 2 });
    // Nothing recognizes the key for it, but a probe may find the effect by it.
    expect(seen.map(({ key }) => key)).toEqual([answer.ok && answer.key]);
  });

  it('an irreversible call is made once when its connection was reset after the body', async () => {
    const shop = impatient();
    const { url, seen } = await serve((request) => request.socket.destroy());
    const answer = await driven(
      shop,
      shop.run(() =>
        shop.guard.call(mail, async () => {
          await guardedFetch(url, { method: 'POST', body: 'x' });
        }),
      ),
    );
    expect(gist(answer)).toBe('transport_lost, unknown');
    expect(seen.length).toBe(1);
  });

  it('an irreversible call of two requests is made once when the second was refused', async () => {
    const shop = impatient();
    const refused = await closedPort();
    const { url, seen } = await serve((_request, response) => response.end('sent'));
    const answer = await driven(
      shop,
      shop.run(() =>
        shop.guard.call(mail, async () => {
          await guardedFetch(url, { method: 'POST', body: 'x' });
          await guardedFetch(refused, { method: 'POST', body: 'y' });
        }),
      ),
    );
    expect(gist(answer)).toBe('transport_lost, unknown');
    expect(seen.length).toBe(1);
  });

  it('outside of a guarded call is fetch', async () => {
    const { url, seen } = await serve((_request, response) => response.end('plain'));
    expect(await (await guardedFetch(url)).text()).toBe('plain');
    expect(seen).toEqual([{ method: 'GET', key: undefined, other: undefined }]);
  });

  it('is aborted with its attempt', async () => {
    const shop = impatient();
    const { url, seen } = await serve(() => {});
    let aborted: unknown;
    const answer = shop.run(() =>
      shop.guard.call({ tool: 'get_order', args: { orderId: 'o' }, callId: 'c1' }, async () => {
        await guardedFetch(url).catch((error: unknown) => {
          aborted = error;
        });
        return { orderId: 'o', slot: '' };
      }),
    );
    while (seen.length === 0) await shop.clock.advance(0);
    for (const ms of [1_000, 1_500, 2_250]) await shop.clock.advance(ms);
    expect(gist(await answer)).toBe('timed_out, none');
    while (aborted === undefined) await shop.clock.advance(0);
    expect(aborted).toMatchObject({ kind: 'timed_out' });
  });

  /** The answer of a mail whose tool sends this request. */
  function mailed(send: () => Promise<Response>) {
    const shop = impatient();
    const request = { tool: 'send_mail', args: { to: 'A', subject: 's' }, callId: 'c1' } as const;
    return driven(
      shop,
      shop.run(() => shop.guard.call(request, async () => (await send()).text())),
    );
  }

  it('a redirect that leads nowhere proves nothing about the request that was redirected', async () => {
    const nowhere = await closedPort();
    const { url, seen } = await serve((_request, response) =>
      response.writeHead(303, { location: nowhere }).end(),
    );
    const answer = await mailed(() => guardedFetch(url, { method: 'POST', body: 'x' }));
    expect(gist(answer)).toBe('transport_lost, unknown');
    expect(seen.length).toBe(1);
  });

  it('follows a redirect as fetch does: the same body, and no credentials for another host', async () => {
    const there = await serve((request, response, body) =>
      response.end(`got ${body}, ${request.headers.authorization ?? 'no credentials'}`),
    );
    const here = await serve((_request, response) =>
      response.writeHead(307, { location: there.url }).end(),
    );
    const init = { method: 'POST', body: 'x', headers: { authorization: 'secret' } };
    for (const send of [
      () => guardedFetch(here.url, init),
      () => guardedFetch(new Request(here.url, init)),
    ]) {
      expect(await mailed(send)).toMatchObject({ ok: true, result: 'got x, no credentials' });
    }
    expect(there.seen).toMatchObject([{ method: 'POST' }, { method: 'POST' }]);
  });
});

describe('DU-12: a client inside of a tool that tries three times', () => {
  const note = { tool: 'write_note', args: { text: 'hello' }, callId: 'c1' } as const;
  type Request = typeof mail | typeof note | typeof delivery | typeof order;
  const order = { tool: 'get_order', args: { orderId: 'o1' }, callId: 'c1' } as const;
  const drop = (_request: IncomingMessage, response: ServerResponse): void =>
    void response.socket?.destroy();
  const answers = (status: number) => (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status).end();

  /** How often the other side is asked, and what the call comes to. */
  async function asked(
    request: Request,
    answer: Parameters<typeof serve>[0],
    { method = 'POST', url: other }: { readonly method?: string; readonly url?: string } = {},
  ): Promise<{ readonly times: number; readonly said: string }> {
    const shop = desk({ settings: { attempts: 1 } });
    const { url, seen } = await serve(answer);
    const work = async (): Promise<never> => {
      let last: unknown;
      for (let tries = 0; tries < 3; tries += 1) {
        try {
          const body = method === 'GET' ? {} : { body: JSON.stringify(request.args) };
          const response = await guardedFetch(other ?? url, { method, ...body });
          last = Object.assign(new Error('no'), { status: response.status });
        } catch (error) {
          last = error;
        }
      }
      throw last;
    };
    const said = await driven(
      shop,
      shop.run(() => shop.guard.call(request, work)),
    );
    const warned = shop.events.of('warning').filter(({ code }) => code === 'retries_below');
    expect(warned).toHaveLength(1);
    return { times: seen.length, said: gist(said) };
  }

  it.each<[string, Parameters<typeof serve>[0]]>([
    ['was lost', drop],
    ['was answered with 503', answers(503)],
    ['was answered with 409', answers(409)],
  ])('sends an irreversible request once, where it %s', async (_, answer) => {
    expect(await asked(mail, answer)).toEqual({ times: 1, said: 'transport_lost, unknown' });
  });

  it('may go on where the first one certainly did nothing', async () => {
    expect((await asked(mail, answers(429))).times).toBe(3);
    // The entry says that errors of this tool leave nothing behind; a loss may have.
    expect((await asked(note, answers(503))).times).toBe(3);
    expect(await asked(note, drop)).toEqual({ times: 1, said: 'transport_lost, unknown' });
    const refused = await asked(mail, drop, { url: await closedPort() });
    expect(refused).toEqual({ times: 0, said: 'transport_lost, none' });
  });

  it('may go on where a second one does no harm', async () => {
    expect((await asked(delivery, drop)).times).toBe(3);
    expect((await asked(order, drop)).times).toBe(3);
    expect((await asked(mail, drop, { method: 'GET' })).times).toBe(3);
  });
});
