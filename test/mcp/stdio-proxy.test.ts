import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProxy } from './bundle.js';
import {
  callParams,
  type Desk,
  desk,
  deskServer,
  failureIn,
  Host,
  type HostOptions,
  textOf,
} from './host.js';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProxy();
});

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.kill('SIGKILL')));
});

async function host(at: Desk = desk(), options: Omit<HostOptions, 'bundle'> = {}): Promise<Host> {
  const one = new Host(at, { bundle, ...options });
  hosts.push(one);
  return one.begin();
}

describe('what is not guarded', () => {
  it('passes byte for byte, in its order, both ways', async () => {
    const direct = await host(desk(), { isDirect: true });
    const proxied = await host();
    for (const one of [direct, proxied]) {
      await one.request('tools/list', {});
      await one.request('vendor/hello', { n: 1, 'com.example/x': [null] });
      await one.call('exact');
    }
    expect(proxied.lines.slice(0, 3)).toEqual(direct.lines.slice(0, 3));
    // The guard's own line begins with the id; what it relays of the server is as the server wrote it.
    expect(proxied.lines.at(-1)).toContain('"vendor":{"n":1.0e+2}');
  });

  it('is not lost for a host that reads late', async () => {
    const at = desk();
    const one = await host(at);
    one.child.stdout?.pause();
    const id = one.ask('tools/call', callParams('floods', {}));
    await waitFor(() => at.effects().includes('flooding'));
    one.child.stdout?.resume();
    expect(textOf(await one.answer(id))).toBe('flooded');
    const seen = one.said.filter(({ method }) => method === 'notifications/message');
    expect(seen.map(({ params }) => params?.at)).toEqual(
      Array.from({ length: 400 }, (_, at) => at),
    );
  });

  it('MCP-72: a request of the server reaches the host, and its answer the server, with id 0 too', async () => {
    const one = await host();
    const id = one.ask('tools/call', callParams('asks', {}));
    await one.until(() => one.said.some(({ method }) => method === 'elicitation/create'));
    one.write({ id: 0, result: { action: 'accept' } });
    expect(textOf(await one.answer(id))).toBe('asked');
  });
});

describe('a call of a tool', () => {
  it('MCP-71: keeps what the host put into _meta, and its progress comes back under its own token', async () => {
    const one = await host();
    const answer = await one.call('echo', { a: 1 }, { traceparent: '00-1', 'com.example/x': 1 });
    const sent = JSON.parse(textOf(answer)) as {
      arguments: object;
      _meta: Record<string, unknown>;
    };
    expect(sent.arguments).toEqual({ a: 1 });
    expect(sent._meta).toMatchObject({
      traceparent: '00-1',
      'com.example/x': 1,
      'dev.holdfast/attempt': 1,
    });
    await one.call('steps', {}, { progressToken: 't1' });
    const progress = one.said.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params }) => params)).toEqual([
      { progressToken: 't1', progress: 1, total: 2 },
      { progressToken: 't1', progress: 2, total: 2 },
    ]);
  });

  it('MCP-52: of a name that the server has not is not sent; names of a later page are known (MCP-35)', async () => {
    const one = await host();
    const answer = await one.call('send_mial', { to: 'A' });
    expect(failureIn(answer)).toMatchObject({ kind: 'unknown_tool', effect: 'none' });
    expect(textOf(answer)).toContain('send_mail');
    expect(textOf(await one.call('noisy'))).toBe('quiet');
  });

  it("gives the server's own refusals as they are: errors of the protocol, and results that are errors (MCP-61)", async () => {
    const one = await host();
    expect((await one.call('refuses')).error).toEqual({
      code: -32602,
      message: 'no such order',
      data: { order: 7 },
    });
    const said = await one.call('says_no');
    expect(said.result).toMatchObject({ content: [{ text: 'out of stock' }], isError: true });
    expect(failureIn(said)).toMatchObject({ effect: 'unknown' });
  });

  it('MCP-54: noise of the server goes to standard error, also where a message is glued to it', async () => {
    const one = await host();
    expect(textOf(await one.call('noisy'))).toBe('quiet');
    await one.until(() => one.stderr.includes('42 % done'));
    expect(one.stderr).toContain('starting');
  });

  it('MCP-57: with an answer of 65 MB is done, and neither it nor a call beside it is lost', async () => {
    const at = desk();
    const one = await host(at);
    const slow = one.ask('tools/call', callParams('waits', { to: 'B' }));
    const big = await one.call('huge');
    expect(failureIn(big)).toMatchObject({ effect: 'done' });
    await one.call('release');
    expect(textOf(await one.answer(slow))).toBe('sent');
    expect([...at.effects()].sort()).toEqual(['huge', 'mail B']);
  });
});

describe('a wish', () => {
  it('MCP-07, MCP-11: that the host sends twice is done once, and both ids are answered with the success', async () => {
    const at = desk();
    const one = await host(at);
    const ids = [1, 2].map(() => one.ask('tools/call', callParams('send_mail', { to: 'A' })));
    const answers = await Promise.all(ids.map((id) => one.answer(id)));
    expect(answers.map(textOf)).toEqual(['sent', 'sent']);
    expect(answers.map(({ result }) => result?.isError)).toEqual([undefined, undefined]);
    expect(answers.map(({ result }) => result?._meta?.['dev.holdfast/folded'])).toContain('folded');
    expect(at.effects()).toEqual(['mail A']);
  });

  it('MCP-02, MCP-06: asked for again while it is under way, or in doubt, is not sent again', async () => {
    const at = desk();
    const one = await host(at);
    const first = one.ask('tools/call', callParams('send_slowly', { to: 'A' }));
    await waitFor(() => at.effects().length === 1);
    one.write({ method: 'notifications/cancelled', params: { requestId: first } });
    const second = await one.call('send_slowly', { to: 'A' });
    expect(failureIn(second)).toMatchObject({ effect: 'unknown' });
    expect(at.effects().filter((line) => line === 'mail A')).toHaveLength(1);
  });

  it('MCP-26: whose server is killed in the middle is of unknown outcome, and the next server is not asked', async () => {
    const at = desk();
    const one = await host(at);
    const lost = await one.call('send_and_die', { to: 'A' });
    expect(failureIn(lost)).toMatchObject({ kind: 'transport_lost', effect: 'unknown' });
    expect(textOf(await one.call('echo', { still: 'there' }))).toContain('still');
    const again = await one.call('send_and_die', { to: 'A' });
    expect(failureIn(again)).toMatchObject({ kind: 'outcome_unknown', effect: 'unknown' });
    expect(at.effects()).toEqual(['mail A']);
  });

  it('whose server ends behind its answer, which has no line end, is done', async () => {
    const at = desk();
    const one = await host(at);
    expect(textOf(await one.call('send_and_end', { to: 'A' }))).toBe('sent');
    expect(at.effects()).toEqual(['mail A']);
  });

  it('of a tool without an entry is done once, whoever is killed in the middle, gives up or asks beside it', async () => {
    const at = desk();
    const options = { withRegistry: false };
    const [one, two] = [await host(at, options), await host(at, options)];
    const given = one.ask('tools/call', callParams('waits', { to: 'A' }));
    await waitFor(() => at.effects().length === 1);
    one.write({ method: 'notifications/cancelled', params: { requestId: given } });
    const beside = one.ask('tools/call', callParams('waits', { to: 'A' }));
    await one.call('release');
    expect(textOf(await one.answer(beside))).toBe('sent');
    one.ask('tools/call', callParams('waits', { to: 'B' }));
    await waitFor(() => at.effects().length === 2);
    await one.kill('SIGKILL');
    expect(failureIn(await two.call('waits', { to: 'B' }))).toMatchObject({
      kind: 'outcome_unknown',
    });
    expect(at.effects()).toEqual(['mail A', 'mail B']);
  });

  it('survives a proxy that is killed in the middle: the next one knows of it', async () => {
    const at = desk();
    const first = await host(at);
    first.ask('tools/call', callParams('send_slowly', { to: 'A' }));
    await waitFor(() => at.effects().length === 1);
    await first.kill('SIGKILL');
    const second = await host(at);
    const again = await second.call('send_slowly', { to: 'A' });
    expect(failureIn(again)).toMatchObject({ kind: 'outcome_unknown' });
    expect(at.effects()).toEqual(['mail A']);
  });

  it('under an intent of the host is done once for good', async () => {
    const at = desk();
    const first = await host(at);
    const meta = { 'dev.holdfast/intent': 'order-7' };
    await first.call('send_mail', { to: 'A' }, meta);
    await first.kill('SIGKILL');
    const second = await host(at);
    const again = await second.call('send_mail', { to: 'A' }, meta);
    expect(again.result?._meta?.['dev.holdfast/folded']).toBeDefined();
    await second.call('send_mail', { to: 'A' }, { 'dev.holdfast/intent': 'order-8' });
    expect(at.effects()).toEqual(['mail A', 'mail A']);
  });
});

describe('a server that cannot be started for a while', () => {
  it('MCP-28: is tried again, and the next call that finds it works', async () => {
    const at = desk();
    const starts = join(at.folder, 'starts');
    const [node = '', server = ''] = deskServer;
    const script = `echo x >> ${starts}; n=$(wc -l < ${starts}); if [ $n -gt 1 ] && [ $n -lt 4 ]; then exit 1; fi; exec ${node} ${server}`;
    const one = await host(at, { server: ['sh', '-c', script] });
    await one.call('send_and_die', { to: 'A' });
    for (;;) {
      const answer = await one.call('echo', { at: one.said.length });
      if (answer.result?.isError !== true) break;
      expect(failureIn(answer)).toMatchObject({ effect: 'none' });
    }
    expect(readFileSync(starts, 'utf8').trim().split('\n').length).toBe(4);
  });
});

describe('the program', () => {
  it('MCP-29: says with what a server ended that never came to work', async () => {
    const one = new Host(desk(), {
      bundle,
      server: ['node', '-e', 'console.error("no key"); process.exit(7)'],
    });
    hosts.push(one);
    const id = one.ask('initialize', { protocolVersion: '2025-11-25' });
    const { error } = await one.answer(id);
    expect(await one.ended()).toBe(1);
    expect(one.stderr).toContain('exit code 7');
    expect(one.stderr).toContain('no key');
    expect(error?.message).toContain('exit code 7');
  });

  it('does not begin where events cannot be written', async () => {
    const one = new Host(desk(), { bundle, options: ['--events', '/no/such/folder/events'] });
    hosts.push(one);
    expect(await one.ended()).toBe(2);
    expect(one.stderr).toContain('/no/such/folder/events');
  });

  it('in shadow changes nothing', async () => {
    const at = desk();
    const one = await host(at, { options: ['--mode', 'shadow'] });
    for (const _ of [1, 2]) expect(textOf(await one.call('send_mail', { to: 'A' }))).toBe('sent');
    expect((await one.call('refuses')).error).toEqual({
      code: -32602,
      message: 'no such order',
      data: { order: 7 },
    });
    expect(at.effects()).toEqual(['mail A', 'mail A']);
  });

  it('lets a protocol that it does not know pass, and warns once', async () => {
    const at = desk();
    const events = `${at.folder}/events.ndjson`;
    const one = new Host(at, { bundle, options: ['--events', events] });
    hosts.push(one);
    await one.begin('2031-01-01');
    for (const _ of [1, 2]) await one.call('send_mail', { to: 'A' });
    expect(at.effects()).toEqual(['mail A', 'mail A']);
    await one.leave();
    expect(readFileSync(events, 'utf8').match(/protocol_unguarded/g)).toHaveLength(1);
  });
});

/** Polls what no line of the proxy tells of. */
async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
