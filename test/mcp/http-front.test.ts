import { request as rawRequest } from 'node:http';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProxy } from './bundle.js';
import {
  callParams,
  type Desk,
  desk,
  failureIn,
  Host,
  type HostOptions,
  type Said,
  textOf,
} from './host.js';
import { HttpDesk } from './http-desk.js';
import { all, type Heard, HttpHost, heard, ListeningProxy } from './http-host.js';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProxy();
});

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

async function proxyOf(
  at: Desk,
  options: Omit<HostOptions, 'bundle'> = {},
): Promise<ListeningProxy> {
  const proxy = await ListeningProxy.start(at, { bundle, ...options });
  ends.push(() => proxy.end('SIGKILL'));
  return proxy;
}

/** A proxy that listens, before a program. */
async function setting(options: Omit<HostOptions, 'bundle'> = {}) {
  const at = desk();
  const proxy = await proxyOf(at, options);
  return { at, proxy, host: await new HttpHost(proxy.url).begin() };
}

/** A proxy that listens, before an address. */
async function settingOverHttp(options: readonly string[] = []) {
  const at = desk();
  const server = await HttpDesk.start(at);
  ends.push(() => server.kill());
  const proxy = await proxyOf(at, { upstream: server.url, options });
  return { at, proxy, server, host: await new HttpHost(proxy.url).begin() };
}

/** Polls what nobody tells of. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}

const mails = (at: Desk) => at.effects().filter((line) => line.startsWith('mail'));
const mailA = { to: 'A' };

describe.each([
  ['a program', () => setting()],
  ['an address', () => settingOverHttp()],
])('messages before %s', (_, make) => {
  it('pass as they were written, each on the stream of the request that it belongs to', async () => {
    const { host } = await make();
    const exact = await host.post({
      id: 'e',
      method: 'tools/call',
      params: callParams('exact', {}),
    });
    expect(exact.headers.get('content-type')).toBe('text/event-stream');
    expect(await exact.text()).toContain('"vendor":{"n":1.0e+2}');
    const steps = await host.hear('tools/call', callParams('steps', {}, { progressToken: 't1' }));
    expect(steps.map(({ params }) => params?.progress)).toEqual([1, 2, undefined]);
    expect(steps[0]?.params).toEqual({ progressToken: 't1', progress: 1, total: 2 });
    const hello = await host.request('vendor/hello', { n: 1 });
    expect(hello.result).toEqual({ hello: { n: 1 } });
  });

  it('MCP-72: a question of the server comes on the stream of the one call that is open', async () => {
    const { host } = await make();
    const said: Said[] = [];
    const asks = { id: 'q', method: 'tools/call', params: callParams('asks', {}) };
    for await (const one of heard(await host.post(asks))) {
      if (one.said === undefined) continue;
      said.push(one.said);
      if (one.said.method !== 'elicitation/create') continue;
      const answered = await host.post({ id: 0, result: { action: 'accept' } });
      expect(answered.status).toBe(202);
    }
    expect(said.map(({ method, id }) => method ?? id)).toEqual(['elicitation/create', 'q']);
  });

  it('may be written over several lines', async () => {
    const { host } = await make();
    const message = { jsonrpc: '2.0', id: 'x', method: 'vendor/hello', params: { text: 'a\nb' } };
    const [said] = await all(await host.post(JSON.stringify(message, undefined, 2)));
    expect(said?.result).toEqual({ hello: { text: 'a\nb' } });
  });

  it('a host that sends every call twice over two sessions has it done once, and both answered', async () => {
    const { at, host, proxy } = await make();
    const other = await new HttpHost(proxy.url).begin();
    for (const to of ['A', 'B', 'C']) {
      const answers = await Promise.all([host, other].map((one) => one.call('send_mail', { to })));
      expect(answers.map(textOf)).toEqual(['sent', 'sent']);
    }
    expect([...mails(at)].sort()).toEqual(['mail A', 'mail B', 'mail C']);
  });

  it('a host that goes away has cancelled nothing, and finds the answer when it comes back', async () => {
    const { at, host } = await make();
    const leaving = new AbortController();
    const waits = { id: 'w', method: 'tools/call', params: callParams('waits', mailA) };
    const response = await host.post(waits, leaving.signal);
    const { value: primed } = (await heard(response).next()) as { value: Heard };
    await until(() => mails(at).length === 1);
    leaving.abort();
    await host.call('release');
    const [late] = await all(await host.listen(primed.id));
    expect(late).toMatchObject({ id: 'w', result: { content: [{ text: 'sent' }] } });
    expect(at.effects()).not.toContain('cancelled');
    expect(mails(at)).toEqual(['mail A']);
  });

  it('a host that cancels has its stream ended without an answer', async () => {
    const { at, host } = await make();
    const slow = host.post({
      id: 's',
      method: 'tools/call',
      params: callParams('send_slowly', mailA),
    });
    await until(() => mails(at).length === 1);
    await host.post({ method: 'notifications/cancelled', params: { requestId: 's' } });
    expect(await all(await slow)).toEqual([]);
  });

  it('survive a proxy that is killed in the middle: the next one knows of the call', async () => {
    const { at, host, proxy } = await make();
    const call = { id: 's', method: 'tools/call', params: callParams('send_slowly', mailA) };
    const cut = host
      .post(call)
      .then(all)
      .then(
        () => 'whole',
        () => 'cut off',
      );
    await until(() => mails(at).length === 1);
    await proxy.end('SIGKILL');
    expect(await cut).toBe('cut off');
    const next = await proxyOf(at);
    const again = await new HttpHost(next.url).begin();
    expect(failureIn(await again.call('send_slowly', mailA))).toMatchObject({
      kind: 'outcome_unknown',
    });
    expect(mails(at)).toEqual(['mail A']);
  });
});

describe('an answer of 11 MB', () => {
  it('MCP-57: passes whole from address to address, beside another call', async () => {
    const { host } = await settingOverHttp(['--max-result', '0']);
    const slow = host.call('waits', { to: 'B' });
    expect(textOf(await host.call('huge'))).toHaveLength(11 * 1024 * 1024);
    await host.call('release');
    expect(textOf(await slow)).toBe('sent');
  });
});

describe('a session', () => {
  it("has a server of its own, which ends with it, and the host's name for it is not known any more", async () => {
    const { host, proxy } = await setting();
    const other = await new HttpHost(proxy.url).begin();
    const pids = await Promise.all(
      [host, other].map(
        async (one, at) => JSON.parse(textOf(await one.call('whoami', { at }))).pid as number,
      ),
    );
    expect(new Set(pids).size).toBe(2);
    expect((await host.leave()).status).toBe(200);
    await until(() => !isAlive(pids[0] ?? 0));
    expect(isAlive(pids[1] ?? 0)).toBe(true);
    const gone = await host.post({ id: 1, method: 'ping' });
    expect(gone.status).toBe(404);
    expect(await gone.json()).toMatchObject({ error: { message: 'Session not found' } });
  });

  it('tells what no request caused on the stream that is open for it, and the rest of it to who comes back', async () => {
    const { host } = await setting();
    const announce = { method: 'notifications/roots/list_changed' };
    await host.post(announce);
    const stream = heard(await host.listen());
    const next = async () => ((await stream.next()) as { value: Heard }).value;
    const first = await next();
    expect(first.said?.method).toBe('notifications/tools/list_changed');
    await host.post(announce);
    const second = await next();
    expect(second.said?.method).toBe('notifications/tools/list_changed');
    const rest = heard(await host.listen(first.id));
    expect(((await rest.next()) as { value: Heard }).value.id).toBe(second.id);
    await rest.return(undefined);
  });

  it('ends with its first answer where the server never comes to work', async () => {
    const proxy = await proxyOf(desk(), { server: ['node', '-e', 'process.exit(7)'] });
    const host = new HttpHost(proxy.url);
    const response = await host.post({ id: 1, method: 'initialize', params: {} });
    const [said] = await all(response);
    expect(said?.error?.message).toContain('exit code 7');
    host.session = response.headers.get('mcp-session-id') ?? '';
    expect((await host.post({ id: 2, method: 'ping' })).status).toBe(404);
  });
});

describe('what is not let in', () => {
  const ping = { id: 1, method: 'ping' };
  const accept = 'application/json, text/event-stream';
  const statusOf = async (
    proxy: ListeningProxy,
    method: string,
    headers: Record<string, string>,
    path = '/mcp',
  ): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = rawRequest(new URL(path, proxy.url), { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject);
      asked.end(method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', ...ping }) : undefined);
    });

  it('is told by its status', async () => {
    const { host, proxy } = await setting();
    const good = { accept, 'content-type': 'application/json' };
    const session = { 'mcp-session-id': host.session ?? '' };
    expect(await statusOf(proxy, 'POST', good)).toBe(400);
    expect(await statusOf(proxy, 'POST', { ...good, 'mcp-session-id': 'x' })).toBe(404);
    expect(await statusOf(proxy, 'POST', { ...good, ...session }, '/')).toBe(404);
    expect(await statusOf(proxy, 'PUT', session)).toBe(405);
    expect(await statusOf(proxy, 'POST', { ...good, ...session, accept: 'application/json' })).toBe(
      406,
    );
    expect(await statusOf(proxy, 'GET', { ...session, accept: 'application/json' })).toBe(406);
    expect(await statusOf(proxy, 'POST', { ...session, accept })).toBe(415);
    expect((await host.post('{')).status).toBe(400);
    expect((await host.post(`"${'x'.repeat(4 * 1024 * 1024)}"`)).status).toBe(413);
    expect(await statusOf(proxy, 'POST', { ...good, ...session, host: 'evil.example' })).toBe(403);
    expect(
      await statusOf(proxy, 'POST', { ...good, ...session, origin: 'http://evil.example' }),
    ).toBe(403);
    expect(
      await statusOf(proxy, 'POST', {
        ...good,
        ...session,
        host: 'localhost:1',
        origin: 'http://localhost:1',
      }),
    ).toBe(200);
  });

  it('has no token where one is needed', async () => {
    process.env.HOLDFAST_TEST_TOKEN = 's3cret';
    const proxy = await proxyOf(desk(), { options: ['--token', 'env:HOLDFAST_TEST_TOKEN'] });
    const refused = await new HttpHost(proxy.url).post(ping);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const wrong = await new HttpHost(proxy.url, { authorization: 'Bearer no' }).post(ping);
    expect(wrong.status).toBe(401);
    const host = await new HttpHost(proxy.url, { authorization: 'Bearer s3cret' }).begin();
    expect(textOf(await host.call('echo'))).toContain('arguments');
  });

  it('is a batch in versions that have none', async () => {
    const { host } = await setting();
    const batch = JSON.stringify([
      { jsonrpc: '2.0', id: 1, method: 'vendor/hello', params: { n: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'vendor/hello', params: { n: 2 } },
    ]);
    expect((await host.post(batch)).status).toBe(400);
    const older = new HttpHost(host.url, { 'mcp-protocol-version': '2025-03-26' });
    older.session = host.session;
    expect((await all(await older.post(batch))).map(({ id }) => id)).toEqual([1, 2]);
  });
});

describe('the program', () => {
  it('says that its port is in use', async () => {
    const { at, proxy } = await setting();
    const { port } = new URL(proxy.url);
    const other = new Host(at, { bundle, options: ['--http', `127.0.0.1:${port}`] });
    expect(await other.ended()).toBe(2);
    expect(other.stderr).toContain('the port is in use');
  });

  it('ends by a signal with nothing left of its servers', async () => {
    const { host, proxy } = await setting();
    const { pid } = JSON.parse(textOf(await host.call('whoami'))) as { pid: number };
    expect(await proxy.end('SIGTERM')).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
