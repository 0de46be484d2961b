import { getEventListeners } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memorySink } from './events/memory-sink.js';
import { createGuard } from './guard.js';
import { guardedFetch } from './guarded-fetch.js';
import { failureOf, gist } from './order-tools.fixture.js';
import { manualClock } from './testing/manual-clock.js';

const common = {
  input: z.object({}),
  timeouts: { firstByte: '500ms', idle: '200ms', total: '60s' },
  resourceGroup: 'news',
  owner: 'news@team',
} as const;

const registry = defineRegistry({
  name: 'news',
  resourceGroups: { news: {} },
  tools: [
    defineTool({ ...common, name: 'read_news', summary: 'Read.', idempotency: read() }),
    defineTool({
      ...common,
      name: 'post_news',
      summary: 'Post.',
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'nobody minds' },
    }),
  ],
});

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A service whose answers the test writes by itself. */
async function service() {
  const asked: { readonly response: ServerResponse; gone: boolean }[] = [];
  const server = createServer((request, response) => {
    const one = { response, gone: false };
    response.on('close', () => {
      one.gone = true;
    });
    request.resume();
    request.on('end', () => asked.push(one));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/news`, asked };
}

/** An address at which nobody listens. */
async function nowhere(): Promise<string> {
  const { url } = await service();
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return url;
}

function newsroom() {
  const clock = manualClock();
  const events = memorySink();
  const guard = createGuard({
    registry,
    ledger: memoryLedger({ now: clock.wallMs }),
    clock,
    events: [events],
    settings: { attempts: 1 },
  });
  const call = (tool: 'read_news' | 'post_news', work: () => Promise<unknown>) =>
    guard.inRun({ intentId: 'i1' }, () => guard.call({ tool, args: {}, callId: 'c1' }, work));
  /** Lets the network work until something holds. */
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await clock.advance(0);
  };
  /** What a call comes to, while the network works and time stands still. */
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    await until(() => over);
    return work;
  };
  return { clock, events, call, until, settled };
}

describe('RS-38: the clocks of a request', () => {
  it('end the wait for the head of an answer, and its connection', async () => {
    const { url, asked } = await service();
    const { clock, call, until, settled } = newsroom();
    const answer = call('read_news', async () => (await guardedFetch(url)).text());
    await until(() => asked.length === 1);
    await clock.advance(499);
    expect(asked[0]?.gone).toBe(false);
    await clock.advance(1);
    const failure = failureOf(await settled(answer));
    expect(failure).toMatchObject({
      kind: 'timed_out',
      effect: 'none',
      details: { limit: 'first-byte', afterMs: 500, stillRunning: false },
    });
    expect(failure.forModel).toContain('the time to its first byte');
    await until(() => asked[0]?.gone === true);
    expect(clock.pending()).toBe(0);
  });

  it('end the wait for the next part of a body, and its connection', async () => {
    const { url, asked } = await service();
    const { clock, call, until, settled } = newsroom();
    const parts: string[] = [];
    const answer = call('read_news', async () => {
      const { body } = await guardedFetch(url);
      for await (const part of body ?? []) parts.push(Buffer.from(part).toString());
    });
    await until(() => asked.length === 1);
    for (const [index, part] of ['one', 'two', 'three'].entries()) {
      // Each in time, all of them together not.
      await clock.advance(150);
      asked[0]?.response.write(part);
      await until(() => parts.length === index + 1);
    }
    await clock.advance(200);
    expect(failureOf(await settled(answer))).toMatchObject({
      kind: 'timed_out',
      details: { limit: 'idle', afterMs: 200 },
    });
    expect(parts).toEqual(['one', 'two', 'three']);
    await until(() => asked[0]?.gone === true);
    expect(clock.pending()).toBe(0);
  });

  it('have one for everything beside them: it ends an answer that never ends, and its connection', async () => {
    const { url, asked } = await service();
    const { clock, call, until, settled } = newsroom();
    let parts = 0;
    const answer = call('read_news', async () => {
      const { body } = await guardedFetch(url);
      for await (const part of body ?? []) parts += part.length;
    });
    await until(() => asked.length === 1);
    // Neither clock runs out, and there is no end.
    for (let sent = 1; sent < 400; sent += 1) {
      await clock.advance(150);
      asked[0]?.response.write('x');
      await until(() => parts === sent);
    }
    await clock.advance(150);
    expect(failureOf(await settled(answer))).toMatchObject({
      kind: 'timed_out',
      details: { limit: 'tool', afterMs: 60_000 },
    });
    await until(() => asked[0]?.gone === true);
    expect(clock.pending()).toBe(0);
  });

  it('leave the outcome of a write unknown', async () => {
    const { url, asked } = await service();
    const { clock, call, until, settled } = newsroom();
    const answer = call('post_news', async () => {
      await guardedFetch(url, { method: 'POST', body: 'x' });
    });
    await until(() => asked.length === 1);
    await clock.advance(500);
    expect(gist(await settled(answer))).toBe('timed_out, unknown');
  });

  it('do not run while nobody waits for the body', async () => {
    const { url, asked } = await service();
    const { clock, call, until, settled } = newsroom();
    let go = (): void => {};
    const pause = new Promise<void>((resolve) => {
      go = resolve;
    });
    const answer = call('read_news', async () => {
      const response = await guardedFetch(url);
      await pause;
      return response.text();
    });
    await until(() => asked.length === 1);
    asked[0]?.response.write('slow ');
    await clock.advance(0);
    await until(() => clock.pending() === 1);
    await clock.advance(10_000);
    asked[0]?.response.end('reader');
    go();
    expect(await settled(answer)).toMatchObject({ ok: true, result: 'slow reader' });
  });

  it('leave a response as it is, but for its body', async () => {
    const { url, asked } = await service();
    const { clock, call, until, settled } = newsroom();
    const answer = call('read_news', async () => {
      const response = await guardedFetch(url);
      const { status, statusText, type, redirected } = response;
      const named = [status, statusText, response.url, type, redirected];
      return [...named, response.headers.get('x-a'), await response.text()];
    });
    await until(() => asked.length === 1);
    asked[0]?.response.writeHead(201, 'Made', { 'x-a': 'b' }).end('text');
    expect(await settled(answer)).toMatchObject({
      ok: true,
      result: [201, 'Made', url, 'basic', false, 'b', 'text'],
    });
    expect(clock.pending()).toBe(0);
  });

  it('an answer without a body leaves nothing behind', async () => {
    const { url, asked } = await service();
    const { clock, call, until, settled } = newsroom();
    const answer = call('read_news', async () => (await guardedFetch(url)).status);
    await until(() => asked.length === 1);
    asked[0]?.response.writeHead(204).end();
    expect(await settled(answer)).toMatchObject({ ok: true, result: 204 });
    expect(clock.pending()).toBe(0);
  });
});

describe('RS-32: a signal that lives long', () => {
  it('is followed, and left again by every way out', async () => {
    const { url, asked } = await service();
    const { clock, call, until, settled } = newsroom();
    const controller = new AbortController();
    const { signal } = controller;
    const listeners = () => getEventListeners(signal, 'abort').length;
    const bodies: Response[] = [];
    const refused = await nowhere();
    const answer = call('read_news', async () => {
      await (await guardedFetch(url, { signal })).text();
      await (await guardedFetch(url, { signal })).body?.cancel();
      bodies.push(await guardedFetch(url, { signal }));
      await guardedFetch(refused, { signal }).catch(() => {});
    });
    for (let served = 0; served < 3; served += 1) {
      await until(() => asked.length === served + 1);
      expect(listeners()).toBe(1);
      asked[served]?.response.end('text');
    }
    await settled(answer);
    expect(listeners()).toBe(0);
    expect(bodies.length).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  it('aborts the request that follows it', async () => {
    const { url, asked } = await service();
    const { call, until, settled } = newsroom();
    const controller = new AbortController();
    const { signal } = controller;
    const answer = call('read_news', () => guardedFetch(url, { signal }));
    await until(() => asked.length === 1);
    controller.abort();
    expect(gist(await settled(answer))).toBe('transport_lost, none');
    await until(() => asked[0]?.gone === true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const late = call('read_news', () => guardedFetch(url, { signal }));
    expect(gist(await settled(late))).toBe('transport_lost, none');
    expect(asked.length).toBe(1);
  });
});

describe('RS-16: retries below', () => {
  /** A client that sends what it is told, answered by these statuses. */
  async function client(bodies: readonly string[], statuses: readonly number[]) {
    const { url, asked } = await service();
    const { events, call, until, settled } = newsroom();
    const answer = call('read_news', async () => {
      for (const body of bodies) await guardedFetch(url, { method: 'POST', body });
    });
    for (const [index, status] of statuses.entries()) {
      await until(() => asked.length === index + 1);
      asked[index]?.response.writeHead(status).end();
    }
    await settled(answer);
    return { host: new URL(url).host, warnings: events.of('warning') };
  }

  it('are told once, with the host and what to do', async () => {
    const { host, warnings } = await client(['a', 'a', 'a'], [503, 503, 200]);
    expect(warnings).toMatchObject([
      { code: 'retries_below', tool: 'read_news', message: expect.stringContaining(host) },
    ]);
    expect(warnings[0]?.message).toContain('set maxRetries: 0');
  });

  it('are not other requests, nor equal ones that did not fail', async () => {
    expect((await client(['a', 'b'], [503, 200])).warnings).toEqual([]);
    expect((await client(['a', 'a'], [200, 200])).warnings).toEqual([]);
    expect((await client(['a', 'a'], [422, 200])).warnings).toEqual([]);
  });

  it('are seen after a connection that failed, too', async () => {
    const { events, call, settled } = newsroom();
    const refused = await nowhere();
    const answer = call('read_news', async () => {
      const ask = () => guardedFetch(refused).catch(() => {});
      await ask();
      await ask();
    });
    await settled(answer);
    expect(events.of('warning')).toMatchObject([{ code: 'retries_below' }]);
  });
});
