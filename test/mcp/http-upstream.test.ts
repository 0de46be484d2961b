import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProxy } from './bundle.js';
import { callParams, type Desk, desk, failureIn, Host, textOf } from './host.js';
import { HttpDesk } from './http-desk.js';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProxy();
});

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

interface Setting {
  readonly at: Desk;
  readonly server: HttpDesk;
  readonly host: Host;
}

async function hostOf(at: Desk, server: HttpDesk, options: readonly string[] = []): Promise<Host> {
  const host = new Host(at, { bundle, upstream: server.url, options });
  ends.push(() => host.kill('SIGKILL'));
  return host.begin();
}

/** A host with a proxy before a server at an address. */
async function setting(options: readonly string[] = []): Promise<Setting> {
  const at = desk();
  const server = await HttpDesk.start(at);
  ends.push(() => server.kill());
  return { at, server, host: await hostOf(at, server, options) };
}

/** What the server did, without its own affairs. */
function effects(at: Desk): readonly string[] {
  return at.effects().filter((line) => /^(?:mail|booked|huge)/.test(line));
}

/** Polls what no line of the proxy tells of. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

const mailA = { to: 'A' };

describe('messages over HTTP', () => {
  it('pass as they were written, with progress and questions in between', async () => {
    const { host } = await setting();
    await host.call('exact');
    expect(host.lines.at(-1)).toContain('"vendor":{"n":1.0e+2}');
    expect((await host.request('vendor/hello', { n: 1 })).result).toEqual({ hello: { n: 1 } });
    await host.call('steps', {}, { progressToken: 't1' });
    const progress = host.said.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params }) => params)).toEqual([
      { progressToken: 't1', progress: 1, total: 2 },
      { progressToken: 't1', progress: 2, total: 2 },
    ]);
    const id = host.ask('tools/call', callParams('asks', {}));
    await host.until(() => host.said.some(({ method }) => method === 'elicitation/create'));
    host.write({ id: 0, result: { action: 'accept' } });
    expect(textOf(await host.answer(id))).toBe('asked');
    expect((await host.call('refuses')).error).toMatchObject({ data: { order: 7 } });
  });

  it('carry the headers of the command line, and the time that a call has left', async () => {
    const { host } = await setting(['--header', 'X-Team: desk']);
    const { headers } = JSON.parse(textOf(await host.call('echo'))) as {
      headers: Record<string, string>;
    };
    expect(headers).toMatchObject({ 'x-team': 'desk', 'mcp-protocol-version': '2025-11-25' });
    expect(Number(headers['x-agent-deadline-ms'])).toBeGreaterThan(0);
  });

  it('of a host that cancels what is no call close its stream, too', async () => {
    const { at, host } = await setting();
    const id = host.ask('vendor/stalls');
    await until(() => at.effects().includes('stalls'));
    host.write({ method: 'notifications/cancelled', params: { requestId: id } });
    await until(() => at.effects().includes('left'));
    expect((await host.request('vendor/hello', {})).result).toEqual({ hello: {} });
    expect(host.said.filter((one) => one.id === id)).toEqual([]);
  });

  it('that begin where nobody listens are answered with an error, and can begin later', async () => {
    const at = desk();
    const server = await HttpDesk.start(at);
    ends.push(() => server.kill());
    await server.kill();
    const host = new Host(at, { bundle, upstream: server.url });
    ends.push(() => host.kill('SIGKILL'));
    const refused = await host.request('initialize', { protocolVersion: '2025-11-25' });
    expect(refused.error?.message).toContain('ECONNREFUSED');
    await server.restart();
    await host.begin();
    expect(textOf(await host.call('send_mail', mailA))).toBe('sent');
  });

  it('tell the server when the host leaves', async () => {
    const { at, host } = await setting();
    expect(await host.leave()).toBe(0);
    expect(at.effects()).toEqual(['session', 'session ended']);
  });
});

describe('an answer that does not come', () => {
  it.each([
    ['MCP-21: a stream that is cut off between events', 'send_and_cut'],
    ['MCP-21: a stream that ends without it', 'send_and_end'],
    ['a text that is cut off', 'send_and_cut_text'],
    ['a connection that is dropped before its head', 'send_and_drop'],
  ])('%s leaves an unknown outcome at once', async (_, tool) => {
    const { at, host } = await setting();
    const lost = await host.call(tool, mailA);
    expect(failureIn(lost)).toMatchObject({ kind: 'transport_lost', effect: 'unknown' });
    expect(failureIn(await host.call(tool, mailA))).toMatchObject({ kind: 'outcome_unknown' });
    expect(effects(at)).toEqual(['mail A']);
  });

  it('is asked for where the server keeps it', async () => {
    const { at, host } = await setting();
    expect(textOf(await host.call('send_and_resume', mailA))).toBe('sent');
    expect(effects(at)).toEqual(['mail A']);
  });

  it.each([
    ['MCP-22: a stream on which nothing comes', 'send_and_stall'],
    ['MCP-20: a stream of comments', 'send_and_keep_alive'],
  ])('%s is waited for as long as the call may be idle', async (_, tool) => {
    const { at, host } = await setting();
    const late = await host.call(tool, mailA);
    expect(failureIn(late)).toMatchObject({
      kind: 'timed_out',
      effect: 'unknown',
      details: { limit: 'idle' },
    });
    expect(failureIn(await host.call(tool, mailA))).toMatchObject({ kind: 'outcome_unknown' });
    expect(effects(at)).toEqual(['mail A']);
  });

  it('is left when a call is given up: the server hears it, and its stream is closed', async () => {
    const { at, host } = await setting();
    const id = host.ask('tools/call', callParams('send_and_stall', mailA));
    await until(() => effects(at).length === 1);
    host.write({ method: 'notifications/cancelled', params: { requestId: id } });
    await host.leave();
    await until(() => at.effects().includes('left'));
  });

  it('MCP-03: is asked for again under the same key where one protects it, and else not', async () => {
    const { at, host } = await setting();
    expect(textOf(await host.call('book_and_drop', { table: 4 }))).toBe('booked');
    expect(effects(at)).toEqual([expect.stringMatching(/^booked [0-9a-f]{64}$/)]);
    await host.call('send_and_drop', mailA);
    expect(effects(at).filter((line) => line === 'mail A')).toHaveLength(1);
  });
});

describe('a status', () => {
  it.each([
    ['502 leaves it open', 'send_and_fail', 'dependency_failed', 'unknown', 1],
    ['200 with a page leaves it open', 'is_a_page', 'dependency_failed', 'unknown', 1],
    ['403 says that nothing was done', 'is_forbidden', 'auth_failed', 'none', 0],
  ])('of %s', async (_, tool, kind, effect, acted) => {
    const { at, host } = await setting();
    expect(failureIn(await host.call(tool, mailA))).toMatchObject({ kind, effect });
    expect(effects(at)).toHaveLength(acted);
  });

  it.each([
    ['seconds', 'limited', 1_000],
    ['a date', 'limited_until', 500],
  ])('MCP-65: of 429 has the call made again when it says so, in %s', async (_, tool, leastMs) => {
    const { at, host } = await setting();
    const begun = performance.now();
    expect(textOf(await host.call(tool, mailA))).toBe('sent');
    expect(performance.now() - begun).toBeGreaterThan(leastMs);
    expect(effects(at)).toEqual(['mail A']);
  });

  it('MCP-65: of 429 for longer than anybody waits says until when', async () => {
    const { at, host } = await setting();
    const limited = failureIn(await host.call('limited_for_long', mailA));
    expect(limited).toMatchObject({
      kind: 'rate_limited',
      effect: 'none',
      details: { retryAfterMs: 3_600_000 },
    });
    expect(effects(at)).toEqual([]);
  });
});

describe('a server that has forgotten the session', () => {
  it('MCP-24: is greeted once, and does the call once, also one that must never be sent twice', async () => {
    const { at, host } = await setting();
    await host.call('forget');
    const ids = ['A', 'B', 'C'].map((to) =>
      host.ask('tools/call', callParams('send_mail', { to })),
    );
    const answers = await Promise.all(ids.map((id) => host.answer(id)));
    expect(answers.map(textOf)).toEqual(['sent', 'sent', 'sent']);
    expect([...effects(at)].sort()).toEqual(['mail A', 'mail B', 'mail C']);
    expect(at.effects().filter((line) => line === 'session')).toHaveLength(2);
  });

  it('MCP-24: because it was started anew is used as before', async () => {
    const { at, host, server } = await setting();
    expect(textOf(await host.call('send_mail', mailA))).toBe('sent');
    await server.restart();
    expect(textOf(await host.call('send_mail', { to: 'B' }))).toBe('sent');
    expect(effects(at)).toEqual(['mail A', 'mail B']);
  });
});

describe('processes that are killed in the middle', () => {
  it('the server: the outcome is unknown, and the next server is not asked', async () => {
    const { at, host, server } = await setting();
    const lost = await host.call('send_and_die', mailA);
    expect(failureIn(lost)).toMatchObject({ kind: 'transport_lost', effect: 'unknown' });
    await server.restart();
    expect(failureIn(await host.call('send_and_die', mailA))).toMatchObject({
      kind: 'outcome_unknown',
    });
    expect(textOf(await host.call('send_mail', { to: 'B' }))).toBe('sent');
    expect(effects(at)).toEqual(['mail A', 'mail B']);
  });

  it('the server, and nobody is there: nothing was done, and the call is done when somebody is', async () => {
    const { at, host, server } = await setting();
    await host.call('echo');
    await server.kill();
    expect(failureIn(await host.call('send_mail', mailA))).toMatchObject({
      kind: 'transport_lost',
      effect: 'none',
    });
    await server.restart();
    expect(textOf(await host.call('send_mail', { to: 'B' }))).toBe('sent');
    expect(effects(at)).toEqual(['mail B']);
  });

  it('the proxy: the next one knows of it', async () => {
    const { at, host, server } = await setting();
    host.ask('tools/call', callParams('send_slowly', mailA));
    await until(() => effects(at).length === 1);
    await host.kill('SIGKILL');
    const next = await hostOf(at, server);
    expect(failureIn(await next.call('send_slowly', mailA))).toMatchObject({
      kind: 'outcome_unknown',
    });
    expect(effects(at)).toEqual(['mail A']);
  });
});

describe('an answer of 11 MB', () => {
  it('MCP-57: is cut, and no call beside it is lost', async () => {
    const { at, host } = await setting();
    const slow = host.ask('tools/call', callParams('waits', { to: 'B' }));
    const big = await host.call('huge');
    expect(textOf(big)).toContain(`of ${11 * 1024 * 1024} characters`);
    expect(textOf(big).length).toBeLessThan(65_536);
    expect(big.result?.isError).toBeUndefined();
    await host.call('release');
    expect(textOf(await host.answer(slow))).toBe('sent');
    expect([...effects(at)].sort()).toEqual(['huge', 'mail B']);
  });
});
