import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { otherText } from './http-answer.js';
import { type HttpChannel, httpChannel } from './http-channel.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

/** A server of this machine, and a channel to a path of it. */
async function setting(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  path = '/mcp',
): Promise<HttpChannel> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const channel = httpChannel(new URL(`http://127.0.0.1:${port}${path}`));
  ends.push(async () => {
    await channel.close();
    server.closeAllConnections();
    server.close();
  });
  return channel;
}

const post = (channel: HttpChannel, signal = new AbortController().signal) =>
  channel.request({ method: 'POST', headers: { 'x-a': '1' }, body: 'b', signal });

it('follows a server that moved within its origin, with the same request', async () => {
  const seen: string[] = [];
  const channel = await setting((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['x-a']}`);
    if (request.url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end();
    else request.pipe(response);
  });
  const answer = await post(channel);
  expect([answer.status, await otherText(answer)]).toEqual([200, 'b']);
  expect(seen).toEqual(['POST /mcp 1', 'POST /mcp/ 1']);
});

it('gives the answer of a server that leads elsewhere, or round in circles', async () => {
  const away = await setting((_, response) => {
    response.writeHead(307, { location: 'http://elsewhere.invalid/mcp' }).end();
  });
  expect((await post(away)).status).toBe(307);
  let asked = 0;
  const circle = await setting((_, response) => {
    asked += 1;
    response.writeHead(308, { location: '/mcp' }).end();
  });
  expect((await post(circle)).status).toBe(308);
  expect(asked).toBe(4);
});

it('says with a code of Node that nobody listens, and breaks off what is given up', async () => {
  const nobody = httpChannel(new URL('http://127.0.0.1:9/mcp'));
  await expect(post(nobody)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await nobody.close();
  const gone = new Promise<void>((resolve) => {
    const stop = new AbortController();
    void setting((_, response) => {
      response.on('close', resolve);
      stop.abort();
    }).then(async (channel) => {
      await post(channel, stop.signal).catch(() => {});
    });
  });
  await gone;
});
