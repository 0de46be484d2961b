import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { META } from '../proxy/meta.js';
import { clients, DeskTransport, deskGuard, text } from './desk.fixture.js';
import { failureOf } from './failure-of.js';
import { type GuardClientOptions, guardClient } from './guard-client.js';

/** A guarded client of a desk, connected before or after it was guarded. */
async function scene(
  version: string,
  {
    order = 'guard first',
    transport,
    pinned,
  }: {
    order?: 'guard first' | 'connect first';
    transport?: () => DeskTransport;
    pinned?: NonNullable<GuardClientOptions['pinned']>;
  } = {},
) {
  const { clock, guard, ledger, events } = deskGuard();
  const make = clients[version];
  if (make === undefined) throw new TypeError(version);
  const client = make();
  const desk = new DeskTransport();
  const options = {
    guard,
    server: 'desk',
    ...(transport === undefined ? {} : { transport }),
    ...(pinned === undefined ? {} : { pinned }),
  };
  if (order === 'connect first') await client.connect(desk);
  const guarded = guardClient(client, options);
  if (order === 'guard first') await guarded.connect(desk);
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  const settled = () => clock.advance(0);
  const rows = async (intentId = 'mcp:desk') =>
    (await ledger.find({ tenant: 'default', intentId })).map(({ tool, state }) => [tool, state]);
  return { clock, guard, ledger, events, client: guarded, desk, errors, settled, rows };
}

describe.each(Object.keys(clients))('a client of %s', (version) => {
  it.each(['guard first', 'connect first'] as const)(
    'has its calls written down, and their answers (%s)',
    async (order) => {
      const { client, desk, settled, rows } = await scene(version, { order });
      const answer = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
      await settled();
      expect(await rows()).toEqual([['pay', 'attempting']]);
      desk.answer(text('paid'));
      expect(await answer).toEqual(text('paid'));
      expect(await rows()).toEqual([['pay', 'succeeded']]);
    },
  );

  it('stays what it was for a proxy that looks through to it', async () => {
    const { client, desk, settled } = await scene(version);
    const proxy = new Proxy(client, { get: (target, name) => Reflect.get(target, name) });
    const answer = proxy.callTool({ name: 'look', arguments: {} }, undefined, { timeout: 9_000 });
    await settled();
    desk.answer(text('seen'));
    expect(await answer).toEqual(text('seen'));
    expect(await proxy.listTools()).toMatchObject({ tools: [{ name: 'look' }, {}, {}] });
  });

  it('MCP-01, MCP-06, DU-14: is told of an unknown outcome once, and of the late answer when it asks again', async () => {
    const { client, desk, clock, rows, errors, settled } = await scene(version);
    const answer = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
    await clock.advance(1_000);
    const result = await answer;
    expect(failureOf(result)).toMatchObject({ kind: 'timed_out', effect: 'unknown', tool: 'pay' });
    expect(result).toMatchObject({ isError: true });
    const again = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
    await settled();
    desk.answer(text('paid'));
    await settled();
    expect(await again).toMatchObject({ ...text('paid'), _meta: { [META.folded]: 'folded' } });
    expect(await rows()).toEqual([['pay', 'succeeded']]);
    expect(desk.asked('tools/call')).toHaveLength(1);
    expect(desk.asked('notifications/cancelled')).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('DU-12: tries three times, and an irreversible call is sent once', async () => {
    const { client, desk, clock } = await scene(version);
    const failures: unknown[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      const answer = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
      await clock.advance(60_000);
      const { kind, effect } = failureOf(await answer) ?? {};
      failures.push([kind, effect]);
    }
    expect(desk.asked('tools/call')).toHaveLength(1);
    expect(failures).toEqual([
      ['timed_out', 'unknown'],
      ['outcome_unknown', 'unknown'],
      ['outcome_unknown', 'unknown'],
    ]);
  });

  it('MCP-14, LG-41: has its limit kept by a timer, with progress and without', async () => {
    for (const options of [
      { timeout: 300, onprogress: () => {} },
      { maxTotalTimeout: 300, timeout: 250, resetTimeoutOnProgress: true, onprogress: () => {} },
      { maxTotalTimeout: 300 },
    ]) {
      const { client, desk, clock } = await scene(version);
      const args = version === 'version 1' ? [undefined, options] : [options];
      const answer = client.callTool({ name: 'other', arguments: {} }, ...args);
      for (let at = 0; at < 3; at += 1) {
        await clock.advance(99);
        if ('onprogress' in options) desk.report(at);
      }
      await clock.advance(3);
      expect(failureOf(await answer)).toMatchObject({ kind: 'timed_out', effect: 'unknown' });
    }
  });

  it('MCP-13: has nothing moving for too long told, however long the whole may take', async () => {
    const { client, desk, clock } = await scene(version);
    const options = { timeout: 200, resetTimeoutOnProgress: true };
    const args = version === 'version 1' ? [undefined, options] : [options];
    const answer = client.callTool({ name: 'other', arguments: {} }, ...args);
    for (let at = 0; at < 5; at += 1) {
      await clock.advance(199);
      desk.report(at);
    }
    await clock.advance(200);
    expect(failureOf(await answer)).toMatchObject({
      kind: 'timed_out',
      details: { limit: 'idle', afterMs: 200 },
    });
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31])(
    'MCP-15, LG-41: takes %d for no limit, and has the SDK’s own 60 seconds end nothing',
    async (timeout) => {
      const { client, desk, clock, settled } = await scene(version);
      const args = version === 'version 1' ? [undefined, { timeout }] : [{ timeout }];
      const answer = client.callTool({ name: 'other', arguments: {} }, ...args);
      await clock.advance(3_600_000);
      desk.answer(text('at last'));
      await settled();
      expect(await answer).toEqual(text('at last'));
    },
  );

  it.each([0, -1, Number.NaN])('MCP-15: refuses %d as a limit', async (timeout) => {
    const { client, desk } = await scene(version);
    const args = version === 'version 1' ? [undefined, { timeout }] : [{ timeout }];
    await expect(client.callTool({ name: 'other' }, ...args)).rejects.toThrow(/timeout.*Infinity/s);
    expect(desk.asked('tools/call')).toEqual([]);
  });

  it('MCP-16: gives its caller’s own reason back, and cancels once', async () => {
    const { client, desk, settled, events } = await scene(version);
    const stop = new AbortController();
    const args =
      version === 'version 1' ? [undefined, { signal: stop.signal }] : [{ signal: stop.signal }];
    const answer = client.callTool({ name: 'look', arguments: {} }, ...args);
    await settled();
    stop.abort(new Error('the user has enough'));
    await expect(answer).rejects.toThrow('the user has enough');
    await settled();
    expect(desk.asked('notifications/cancelled')).toHaveLength(1);
    expect(events.of('call_finished').map(({ kind }) => kind)).toEqual(['cancelled']);
  });

  it('MCP-16: cancels nothing that is over', async () => {
    const { client, desk, settled } = await scene(version);
    const stop = new AbortController();
    const args =
      version === 'version 1' ? [undefined, { signal: stop.signal }] : [{ signal: stop.signal }];
    const answer = client.callTool({ name: 'look', arguments: {} }, ...args);
    await settled();
    desk.answer(text('seen'));
    await answer;
    stop.abort();
    await settled();
    expect(desk.asked('notifications/cancelled')).toEqual([]);
    await expect(client.callTool({ name: 'look' }, ...args)).rejects.toBe(stop.signal.reason);
  });

  it('MCP-71: has progress come to its own callback, over tries', async () => {
    const { client, desk, clock, settled } = await scene(version);
    const seen: unknown[] = [];
    const options = { onprogress: (progress: unknown) => seen.push(progress) };
    const args = version === 'version 1' ? [undefined, options] : [options];
    const answer = client.callTool(
      { name: 'look', arguments: {}, _meta: { traceparent: 't', 'com.example/x': 1 } },
      ...args,
    );
    await settled();
    desk.report(1);
    await clock.advance(1_500);
    expect(desk.asked('tools/call')).toHaveLength(2);
    desk.report(2);
    desk.answer(text('seen'));
    await settled();
    await answer;
    expect(seen).toEqual([{ progress: 1 }, { progress: 2 }]);
    expect(desk.asked('tools/call')[0]?.params?._meta).toMatchObject({
      traceparent: 't',
      'com.example/x': 1,
      [META.attempt]: 1,
    });
  });

  it('gives a protocol error as the SDK does', async () => {
    const { client, desk, settled } = await scene(version);
    const answer = client.callTool({ name: 'other', arguments: {} });
    answer.catch(() => {});
    await settled();
    const { id } = desk.asked('tools/call')[0] ?? {};
    desk.say({ ...(id === undefined ? {} : { id }), error: { code: -32_602, message: 'no' } });
    await expect(answer).rejects.toMatchObject({ code: -32_602 });
  });

  it('lets everything else pass, both ways', async () => {
    const { client, desk, settled } = await scene(version);
    const ping = client.ping();
    await settled();
    desk.say({ id: desk.asked('ping')[0]?.id as string, result: {} });
    expect(await ping).toEqual({});
    desk.say({ id: 9, method: 'ping' });
    await settled();
    expect(desk.heard.at(-1)).toMatchObject({ id: 9, result: {} });
  });

  it('hears of a closed connection after its calls, which are told what is known', async () => {
    const { client, desk, settled } = await scene(version);
    const told: unknown[] = [];
    client.onclose = () => told.push('closed');
    const answer = client
      .callTool({ name: 'pay', arguments: { bill: 'b1' } })
      .then((result) => told.push(failureOf(result)?.kind, failureOf(result)?.effect));
    await settled();
    desk.drop();
    await settled();
    await answer;
    expect(told).toEqual(['transport_lost', 'unknown', 'closed']);
    await expect(client.callTool({ name: 'look' })).rejects.toThrow(/not connected/i);
  });

  it('that is closed leaves nothing open, in the ledger neither', async () => {
    const { client, settled, rows, clock } = await scene(version);
    const answer = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
    answer.catch(() => {});
    await settled();
    void client.close();
    await settled();
    await expect(answer).rejects.toThrow(/connection closed/i);
    expect(await rows()).toEqual([['pay', 'unknown']]);
    await clock.advance(60_000);
    expect(clock.pending()).toBe(0);
  });

  it('takes the word of a server that says what its error did', async () => {
    const { client, desk, settled, rows } = await scene(version);
    const refusal = (effect: string) => ({
      ...text('sold out'),
      isError: true,
      _meta: { [META.effect]: effect, [META.spentMs]: 3 },
    });
    const pay = async (effect: string) => {
      const answer = client.callTool({ name: 'pay', arguments: { bill: effect } });
      await settled();
      desk.answer(refusal(effect));
      await settled();
      return answer;
    };
    expect(failureOf(await pay('none'))).toMatchObject({ kind: 'business_error', effect: 'none' });
    expect(failureOf(await pay('unknown'))).toMatchObject({ effect: 'unknown' });
    expect(await pay('done')).toMatchObject({ content: [{ text: 'sold out' }] });
    expect((await rows()).map(([, state]) => state)).toEqual(['failed', 'unknown', 'succeeded']);
    expect(JSON.stringify(await pay('none'))).not.toContain(META.spentMs);
  });

  it('takes that word in an error of the protocol, too', async () => {
    const { client, desk, settled, rows } = await scene(version);
    const answer = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
    answer.catch(() => {});
    await settled();
    const { id } = desk.asked('tools/call')[0] ?? {};
    const error = { code: -32_603, message: 'locked', data: { [META.effect]: 'none' } };
    desk.say({ ...(id === undefined ? {} : { id }), error });
    await expect(answer).rejects.toMatchObject({ code: -32_603 });
    expect(await rows()).toEqual([['pay', 'failed']]);
  });

  it('is no model’s to read what a server says to the guard alone', async () => {
    const { client, desk, settled } = await scene(version);
    const look = async (meta: object) => {
      const answer = client.callTool({ name: 'look', arguments: meta });
      await settled();
      desk.answer({ ...text('seen'), _meta: { ...meta, [META.spentMs]: 3 } });
      return answer;
    };
    expect(await look({})).toEqual(text('seen'));
    expect(await look({ vendor: 1 })).toEqual({ ...text('seen'), _meta: { vendor: 1 } });
  });

  it('passes unguarded where it speaks a protocol without sessions, and that is said once', async () => {
    const { client, desk, settled, events, rows } = await scene(version);
    const stateless = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    for (const bill of ['b1', 'b1']) {
      const params = { name: 'pay', arguments: { bill }, _meta: stateless };
      const answer = client.request({ method: 'tools/call', params }, z.looseObject({}));
      await settled();
      desk.answer(text('paid'));
      expect(await answer).toEqual(text('paid'));
    }
    expect(desk.asked('tools/call')).toHaveLength(2);
    expect(events.of('warning').map(({ code }) => code)).toEqual(['protocol_unguarded']);
    expect(await rows()).toEqual([]);
  });

  it('MCP-43: calls and lists no tool that is not as it was reviewed', async () => {
    const inputSchema = { type: 'object' };
    const tools = {
      look: { name: 'look', inputSchema },
      pay: { name: 'pay', description: 'as reviewed', inputSchema },
      gone: { name: 'gone', inputSchema },
    };
    const lock = JSON.stringify({ lockVersion: 1, server: { name: 'desk', tools } });
    const pinned = { lock, policy: 'block' } as const;
    const { client, desk, events, settled } = await scene(version, { pinned });
    const call = async (name: string) => failureOf(await client.callTool({ name, arguments: {} }));
    expect(await call('other')).toMatchObject({
      kind: 'contract_changed',
      details: { change: 'new' },
    });
    expect(await call('pay')).toMatchObject({
      kind: 'contract_changed',
      details: { change: 'changed', fields: ['description'] },
    });
    const answer = client.callTool({ name: 'look', arguments: {} });
    await settled();
    desk.answer(text('looked'));
    expect(await answer).toEqual(text('looked'));
    expect(await client.listTools()).toMatchObject({ tools: [{ name: 'look' }, { name: 'pay' }] });
    expect(events.of('warning').map(({ code }) => code)).toEqual(Array(3).fill('tool_changed'));
  });

  it('is guarded once', async () => {
    const { client, guard } = await scene(version);
    const { callTool } = client;
    expect(guardClient(client, { guard, server: 'desk' }).callTool).toBe(callTool);
  });
});

describe('options that cannot be used', () => {
  const { guard } = deskGuard();
  const lock = JSON.stringify({ lockVersion: 1, registry: { name: 'desk', tools: {} } });
  it.each<[string, object]>([
    ['guard: it is no guard', { server: 'desk' }],
    ['server: it is no name', { guard, server: '' }],
    ['transport: it is no function', { guard, server: 'desk', transport: {} }],
    ['pinned.policy: "stop" is no policy', { guard, server: 'd', pinned: { policy: 'stop' } }],
    ['pinned.lock: it is no JSON', { guard, server: 'd', pinned: { policy: 'warn', lock: 'x' } }],
    [
      'pinned.lock: it locks no live server',
      { guard, server: 'd', pinned: { policy: 'warn', lock } },
    ],
  ])('%s', (message, options) => {
    const client = clients['version 1']?.();
    if (client === undefined) throw new TypeError('no client');
    expect(() => Reflect.apply(guardClient, undefined, [client, options])).toThrow(message);
    expect(guardClient(client, { guard, server: 'desk' })).toBe(client);
  });

  it('of something that is no client', () => {
    const given = [{}, { guard, server: 'desk' }];
    expect(() => Reflect.apply(guardClient, undefined, given)).toThrow(
      'client: it is no client of the MCP SDK',
    );
  });
});
