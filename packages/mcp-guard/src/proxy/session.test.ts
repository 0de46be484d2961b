import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { createGuard, memorySink } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { assumed, defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { playedSession } from './played-session.fixture.js';
import { UpstreamLost } from './upstream.js';

const of = { resourceGroup: 'desk', owner: 'desk@team', latency: assumed(1_000) };
const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({
      ...of,
      name: 'look',
      summary: 'Look something up.',
      input: z.looseObject({}),
      idempotency: read(),
    }),
    defineTool({
      ...of,
      name: 'book',
      summary: 'Book a table.',
      input: z.object({ table: z.number() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { meta: 'com.example/request-id' },
        serverKeepsKeyFor: '1d',
      },
    }),
    defineTool({
      ...of,
      name: 'reserve',
      summary: 'Reserve a table, and say when it was asked for.',
      input: z.object({ table: z.number(), askedAt: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { meta: 'com.example/request-id' },
        serverKeepsKeyFor: '1d',
        key: { volatile: ['askedAt'] },
      },
    }),
    defineTool({
      ...of,
      name: 'pay',
      summary: 'Pay a bill.',
      input: z.object({ bill: z.string() }),
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
    }),
    defineTool({
      ...of,
      name: 'post',
      summary: 'Post a letter, under a key that this way does not carry.',
      input: z.object({ to: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { header: 'Idempotency-Key' },
        serverKeepsKeyFor: '1d',
      },
    }),
    defineTool({
      ...of,
      name: 'compute',
      summary: 'Compute for minutes.',
      input: z.looseObject({}),
      idempotency: read(),
      latency: assumed(120_000),
    }),
  ],
});

interface Heard {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A session whose host and server are the test. */
function setting({
  ready = async () => {},
  carriesHeaders = false,
  leavesProcess = false,
  mode = 'enforce',
}: {
  readonly ready?: () => Promise<void> | undefined;
  readonly carriesHeaders?: boolean;
  readonly leavesProcess?: boolean;
  readonly mode?: 'enforce' | 'off';
} = {}) {
  const clock = manualClock();
  const events = memorySink();
  const toHost: Heard[] = [];
  const toServer: Heard[] = [];
  const linesToServer: string[] = [];
  const ledger = memoryLedger({ now: clock.wallMs });
  const guard = createGuard({
    registry,
    ledger,
    clock,
    events: [events],
    random: () => 0.5,
    mode,
  });
  const related: (string | number | undefined)[] = [];
  const sentHeaders: Readonly<Record<string, string>>[] = [];
  const givenUp: (string | number)[] = [];
  const dropped: (string | number)[] = [];
  const { session, upstream, fromHost, fromServer } = playedSession({
    guard,
    front: {
      answer: (text) => toHost.push(JSON.parse(text)),
      tell(text, relatedTo) {
        toHost.push(JSON.parse(text));
        related.push(relatedTo);
      },
      dropped: (id) => dropped.push(id),
    },
    upstream: {
      carriesHeaders,
      leavesProcess,
      send: ({ text, headers }) => {
        toServer.push(JSON.parse(text));
        linesToServer.push(text);
        if (headers !== undefined) sentHeaders.push(headers);
      },
      ready,
      giveUp: (id) => givenUp.push(id),
    },
  });
  const settled = () => clock.advance(0);
  const asked = (method: string) => toServer.filter((message) => message.method === method);
  /** Answers the guard's own question for the tools. */
  const list = async (names: readonly string[]) => {
    await settled();
    const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
    fromServer({ id: asked('tools/list').at(-1)?.id, result: { tools } });
    await settled();
  };
  const call = async (id: string | number, name: string, args: object = {}, _meta = {}) => {
    fromHost({ id, method: 'tools/call', params: { name, arguments: args, _meta } });
    await settled();
  };
  return {
    clock,
    events,
    ledger,
    session,
    upstream,
    toHost,
    related,
    toServer,
    linesToServer,
    sentHeaders,
    givenUp,
    dropped,
    fromHost,
    fromServer,
    settled,
    asked,
    list,
    call,
  };
}

describe('progress', () => {
  it('goes to the host under its own token, and only grows over attempts', async () => {
    const { call, list, asked, fromServer, toHost, clock } = setting();
    await call(1, 'look', {}, { progressToken: 'mine' });
    await list(['look']);
    const report = (progress: number) =>
      fromServer({
        method: 'notifications/progress',
        params: { progressToken: asked('tools/call').at(-1)?.id, progress },
      });
    report(1);
    report(3);
    // It takes too long, and is tried again.
    await clock.advance(1_500);
    expect(asked('tools/call')).toHaveLength(2);
    report(2);
    report(4);
    const seen = toHost.filter(({ method }) => method === 'notifications/progress');
    expect(seen.map(({ params }) => params)).toEqual(
      [1, 3, 4].map((progress) => ({ progressToken: 'mine', progress })),
    );
  });
});

describe('MCP-16, MCP-68: a call that the host cancels', () => {
  it('is cancelled at the server under the id that the server knows, once, and neither answered nor tried again', async () => {
    const { call, list, asked, fromHost, toHost, settled, clock, events } = setting();
    await call('a', 'look');
    await list(['look']);
    fromHost({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    await settled();
    expect(asked('notifications/cancelled').map(({ params }) => params?.requestId)).toEqual([
      asked('tools/call')[0]?.id,
    ]);
    await clock.advance(60_000);
    fromHost({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    expect(asked('notifications/cancelled')).toHaveLength(1);
    expect(asked('tools/call')).toHaveLength(1);
    expect(toHost.filter(({ id }) => id === 'a')).toEqual([]);
    expect(events.of('call_finished').map(({ kind }) => kind)).toEqual(['cancelled']);
  });

  it('is dropped where it was not sent yet', async () => {
    const { call, asked, list, fromHost } = setting();
    await call('a', 'look');
    fromHost({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    await list(['look']);
    expect(asked('tools/call')).toEqual([]);
    expect(asked('notifications/cancelled')).toEqual([]);
  });

  it('is another one than that with the same number as text', async () => {
    const { call, list, asked, fromHost, settled } = setting();
    await call(1, 'look');
    await list(['look']);
    fromHost({ method: 'notifications/cancelled', params: { requestId: '1' } });
    await settled();
    expect(asked('notifications/cancelled')).toEqual([]);
  });
});

describe('a read of a server that works', () => {
  const works = { ready: () => undefined, leavesProcess: true };

  it('is sent in the turn in which the host asks, and answered in the turn in which the server answers', async () => {
    const { call, list, fromHost, fromServer, asked, toHost, settled } = setting(works);
    await call(0, 'look');
    await list(['look']);
    fromServer({ id: asked('tools/call').at(-1)?.id, result: { content: [] } });
    await settled();
    fromHost({ id: 1, method: 'tools/call', params: { name: 'look', arguments: {} } });
    expect(asked('tools/call')).toHaveLength(2);
    fromServer({ id: asked('tools/call').at(-1)?.id, result: { content: [] } });
    await endOfTurn();
    expect(toHost.map(({ id }) => id)).toEqual([0, 1]);
  });

  it('makes nothing that follows promises: that would slow down all of them', async () => {
    const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
    try {
      for (const [leavesProcess, scopes] of [
        [true, 0],
        [false, 1],
      ] as const) {
        const { call, list, toServer } = setting({ ...works, leavesProcess });
        await call(1, 'look');
        await list(['look']);
        expect(toServer.at(-1)?.method).toBe('tools/call');
        expect(run).toHaveBeenCalledTimes(scopes);
      }
    } finally {
      run.mockRestore();
    }
  });
});

describe('two guards in a row', () => {
  it('keep their own requests apart: what the first one asks, the second one passes on and answers', async () => {
    const inner = setting();
    const outer = setting();
    await outer.call(1, 'look');
    await inner.call(1, 'look');
    const theirs = outer.asked('tools/list')[0]?.id ?? '';
    inner.fromHost({ id: theirs, method: 'tools/list' });
    expect(inner.asked('tools/list')).toHaveLength(2);
    inner.fromServer({ id: theirs, result: { tools: [] } });
    expect(inner.toHost.at(-1)).toMatchObject({ id: theirs, result: { tools: [] } });
  });
});

describe('what would get a call past the guard', () => {
  it.each([
    [
      'an id that is none',
      '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"pay"}}',
    ],
    ['no version', '{"id":1,"method":"tools/call","params":{"name":"pay"}}'],
    [
      'a batch with something else in it',
      '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}},1]',
    ],
  ])('a tools/call with %s is refused', (_, line) => {
    const { session, toServer, toHost } = setting();
    session.fromHost(line);
    expect(toServer).toEqual([]);
    expect(toHost).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  it('a tools/call without an id goes nowhere; other lines that cannot be read are for the server to refuse', () => {
    const { session, fromHost, toServer } = setting();
    fromHost({ method: 'tools/call', params: { name: 'pay' } });
    expect(toServer).toEqual([]);
    session.fromHost('{"jsonrpc":"2.0","id":null,"method":"ping"}');
    expect(toServer).toHaveLength(1);
  });
});

describe('an answer under the id of a call that the server knows by another one', () => {
  it('is not taken for its answer', async () => {
    const { call, list, asked, fromServer, toHost, settled } = setting();
    await call(7, 'look');
    await list(['look']);
    fromServer({ id: 7, result: { content: [{ type: 'text', text: 'of another' }] } });
    fromServer({ id: asked('tools/call')[0]?.id, result: { content: [] } });
    await settled();
    expect(toHost.filter(({ id }) => id === 7)).toEqual([
      { jsonrpc: '2.0', id: 7, result: { content: [] } },
    ]);
  });
});

describe('a host that uses one id again', () => {
  it('means another call by other arguments, and the same one by the same', async () => {
    const { call, list, asked, fromServer, settled, toHost } = setting();
    const answer = async () => {
      fromServer({ id: asked('tools/call').at(-1)?.id, result: { content: [] } });
      await settled();
    };
    await call(1, 'pay', { bill: 'A' });
    await list(['pay']);
    await answer();
    await call(1, 'pay', { bill: 'B' });
    await answer();
    await call(1, 'pay', { bill: 'A' });
    expect(asked('tools/call')).toHaveLength(2);
    expect(toHost.filter(({ id }) => id === 1)).toHaveLength(3);
    expect(toHost.at(-1)).toMatchObject({
      result: { _meta: { 'dev.holdfast/folded': 'replayed' } },
    });
  });
});

describe('arguments', () => {
  it.each(['pay', 'look'])(
    'of %s that are nested too deep are refused, and nothing runs out of stack',
    async (name) => {
      const { session, list, toHost, toServer, asked } = setting();
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      session.fromHost(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{"d":${deep}}}}`,
      );
      await list([name]);
      expect(asked('tools/call')).toEqual([]);
      expect(toServer.length).toBeGreaterThan(0);
      expect(toHost.at(-1)).toMatchObject({
        id: 1,
        result: { _meta: { 'dev.holdfast/failure': { kind: 'malformed_call', effect: 'none' } } },
      });
    },
  );

  it('with a number that cannot be kept are refused where two calls could be taken for one', async () => {
    const { session, list, settled, toHost, asked } = setting();
    const line = (name: string) =>
      `{"jsonrpc":"2.0","id":"${name}","method":"tools/call","params":{"name":"${name}","arguments":{"n":12345678901234567890}}}`;
    session.fromHost(line('pay'));
    await list(['look', 'pay']);
    expect(JSON.stringify(toHost)).toContain('12345678901234567890');
    session.fromHost(line('look'));
    await settled();
    expect(asked('tools/call')).toHaveLength(1);
  });

  it.each([
    ['null', 'null'],
    ['nothing', undefined],
  ])('MCP-51: %s are none, a list or a text is refused', async (_, args) => {
    const { session, list, settled, toHost, asked } = setting();
    const line = (id: number, given: string | undefined) =>
      session.fromHost(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"look"${given === undefined ? '' : `,"arguments":${given}`}}}`,
      );
    line(1, args);
    await list(['look']);
    expect(asked('tools/call')[0]?.params).not.toHaveProperty('arguments');
    for (const [id, given] of [
      [2, '[1]'],
      [3, '"x"'],
    ] as const) {
      line(id, given);
      await settled();
      expect(toHost.find((one) => one.id === id)?.result).toMatchObject({ isError: true });
    }
    expect(asked('tools/call')).toHaveLength(1);
  });
});

describe('the idempotency key', () => {
  it('MCP-03: is in _meta where the entry says that the server looks for it, the same on each try', async () => {
    const { call, list, asked, clock, settled } = setting();
    await call(1, 'book', { table: 4 });
    await list(['book']);
    await clock.advance(1_500);
    await settled();
    const keys = asked('tools/call').map(({ params }) => {
      const meta = params?._meta as Readonly<Record<string, unknown>>;
      return meta['com.example/request-id'];
    });
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a key that the host sends itself, where the guard sends none', () => {
  it('is let be', async () => {
    const { call, asked } = setting({ mode: 'off' });
    await call(1, 'book', { table: 4 }, { 'com.example/request-id': 'own' });
    expect(asked('tools/call')[0]?.params?._meta).toMatchObject({
      'com.example/request-id': 'own',
    });
  });
});

describe('DU-41: a field that changes whenever the host asks again', () => {
  it('is sent as it was the first time, to the byte, under the same key', async () => {
    const { session, list, settled, clock, toHost, asked, linesToServer } = setting();
    const ask = async (id: number, args: string) => {
      session.fromHost(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"reserve","arguments":${args}}}`,
      );
      await settled();
    };
    await ask(1, '{ "table": 4.0, "askedAt": "10:00" }');
    await list(['reserve']);
    await clock.advance(60_000);
    expect(toHost.at(-1)).toMatchObject({ id: 1, result: { isError: true } });
    const tries = asked('tools/call').length;
    await ask(2, '{"askedAt":"10:01","table":4}');
    const calls = linesToServer.filter((line) => line.includes('tools/call'));
    expect(calls.length).toBe(tries + 1);
    expect(new Set(calls.map((line) => /"arguments":(\{.*?\})/.exec(line)?.[1]))).toEqual(
      new Set(['{ "table": 4.0, "askedAt": "10:00" }']),
    );
    const keys = calls.map((line) => /"com.example\/request-id":"(\w+)"/.exec(line)?.[1]);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a call that takes long', () => {
  it('MCP-01: is not sent again where it may not be, and its late answer settles the row', async () => {
    const { call, list, asked, clock, toHost, fromServer, ledger, settled } = setting();
    await call(1, 'pay', { bill: 'b1' });
    await list(['pay']);
    await clock.advance(1_000);
    expect(toHost.at(-1)?.result).toMatchObject({
      isError: true,
      _meta: { 'dev.holdfast/failure': { kind: 'timed_out', effect: 'unknown' } },
    });
    fromServer({ id: asked('tools/call')[0]?.id, result: { content: [] } });
    await settled();
    expect(asked('tools/call')).toHaveLength(1);
    expect(
      (await ledger.find({ tenant: 'default', intentId: 'mcp:desk' })).map(({ state }) => state),
    ).toEqual(['succeeded']);
  });

  it('MCP-12, LG-41: has the time that its entry says', async () => {
    const { call, list, asked, clock, toHost, fromServer, settled } = setting();
    await call(1, 'compute');
    await list(['compute']);
    await clock.advance(119_000);
    expect(toHost).toEqual([]);
    fromServer({ id: asked('tools/call')[0]?.id, result: { content: [] } });
    await settled();
    expect(toHost.map(({ id }) => id)).toEqual([1]);
  });

  it('MCP-04: is not sent again under a key that does not reach the server', async () => {
    const { call, list, asked, clock, events } = setting();
    await call(1, 'post', { to: 'A' });
    await list(['post']);
    await clock.advance(60_000);
    expect(asked('tools/call')).toHaveLength(1);
    expect(events.of('warning').map(({ code }) => code)).toContain('key_not_carried');
  });
});

describe('the breaker', () => {
  const down = async (): Promise<never> => {
    throw new UpstreamLost(false, 'the server does not run');
  };

  it('MCP-62: stops calls of a server that is down', async () => {
    let tries = 0;
    const { call, list, toHost, clock } = setting({
      ready: async () => {
        tries += 1;
        return down();
      },
    });
    await call(1, 'look', { at: 0 });
    await list(['look']);
    for (let id = 2; id <= 10; id += 1) {
      await call(id, 'look', { at: id });
      await clock.advance(500);
    }
    const before = tries;
    await call(11, 'look', { at: 11 });
    expect(tries).toBe(before);
    expect(JSON.stringify(toHost.at(-1))).toContain('circuit_open');
  });

  it('MCP-63: lets errors of the business pass', async () => {
    const { call, list, asked, fromServer, settled, toHost } = setting();
    const refusal = { content: [{ type: 'text', text: 'no such table: customer' }], isError: true };
    await call(1, 'look', { at: 1 });
    await list(['look']);
    for (let id = 1; id <= 20; id += 1) {
      if (id > 1) await call(id, 'look', { at: id });
      fromServer({ id: asked('tools/call').at(-1)?.id, result: refusal });
      await settled();
    }
    await call(21, 'look', { at: 21 });
    fromServer({ id: asked('tools/call').at(-1)?.id, result: { content: [] } });
    await settled();
    expect(toHost.find(({ id }) => id === 21)?.result).toEqual({ content: [] });
  });
});

describe('the list of tools', () => {
  it('MCP-36: is read to its end, and no further where its cursor leads nowhere', async () => {
    const { call, asked, fromServer, settled, events } = setting();
    await call(1, 'look');
    for (let page = 0; page < 3; page += 1) {
      await settled();
      const [last] = asked('tools/list').slice(-1);
      fromServer({ id: last?.id, result: { tools: [{ name: 'look' }], nextCursor: 'same' } });
    }
    await settled();
    expect(asked('tools/list')).toHaveLength(2);
    expect(events.of('warning').map(({ code }) => code)).toEqual(['tools_unread']);
    expect(asked('tools/call')).toHaveLength(1);
  });

  it('that a server does not give holds no call up for long', async () => {
    const { call, asked, clock } = setting();
    await call(1, 'look');
    await clock.advance(9_999);
    expect(asked('tools/call')).toEqual([]);
    await clock.advance(1);
    expect(asked('tools/call')).toHaveLength(1);
    await call(2, 'look', { more: true });
    expect(asked('tools/call')).toHaveLength(2);
  });

  it('MCP-42: is read again when it has changed, and before a name is refused (MCP-35)', async () => {
    const { call, list, asked, fromServer, toHost } = setting();
    await call(1, 'look');
    await list(['look']);
    fromServer({ method: 'notifications/tools/list_changed' });
    expect(toHost.at(-1)?.method).toBe('notifications/tools/list_changed');
    await call(2, 'look');
    await list(['other']);
    await list(['other']);
    expect(toHost.find(({ id }) => id === 2)?.result).toMatchObject({ isError: true });
    expect(asked('tools/call')).toHaveLength(1);
  });
});

describe('a server that is gone', () => {
  it('MCP-09: is not asked again for a call of which nobody knows the class', async () => {
    const { call, list, asked, upstream, toHost, settled } = setting();
    await call(1, 'unknown_tool');
    await list(['unknown_tool']);
    upstream()?.onLost('the server ended by SIGKILL');
    await settled();
    expect(toHost.find(({ id }) => id === 1)?.result?._meta).toMatchObject({
      'dev.holdfast/failure': { kind: 'transport_lost', effect: 'unknown' },
    });
    expect(asked('tools/call')).toHaveLength(1);
  });

  it('leaves no request of the host without an answer', async () => {
    const { fromHost, upstream, toHost } = setting();
    fromHost({ id: 1, method: 'resources/read', params: { uri: 'x' } });
    fromHost({ id: 2, method: 'prompts/list' });
    upstream()?.onLost('the server ended with exit code 9');
    expect(toHost.map(({ id, error }) => [id, error?.message])).toEqual([
      [1, 'the server ended with exit code 9'],
      [2, 'the server ended with exit code 9'],
    ]);
  });
});

describe('a way to the server that has streams and headers', () => {
  it('MCP-03: carries the key in the header that the entry names', async () => {
    const { call, list, sentHeaders } = setting({ carriesHeaders: true });
    await call(1, 'post', { to: 'A' });
    await list(['post']);
    expect(sentHeaders).toHaveLength(1);
    expect(sentHeaders[0]?.['Idempotency-Key']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is told when nobody waits for an answer any more', async () => {
    const { call, list, asked, fromHost, givenUp, dropped, settled } = setting();
    await call('a', 'look');
    await list(['look']);
    fromHost({ id: 'b', method: 'prompts/list' });
    for (const requestId of ['a', 'b', 'b', 'c']) {
      fromHost({ method: 'notifications/cancelled', params: { requestId } });
    }
    await settled();
    expect([...givenUp].sort()).toEqual(['b', asked('tools/call')[0]?.id].sort());
    expect([...dropped].sort()).toEqual(['a', 'b']);
  });

  it('says of one request that it failed, and of its effect what is known of it', async () => {
    const { call, list, asked, toHost, upstream, settled, clock } = setting();
    const failed = async (id: number, error: unknown) => {
      await call(id, 'pay', { bill: `b${id}` });
      if (id === 1) await list(['pay']);
      upstream()?.onUnanswered(asked('tools/call').at(-1)?.id ?? '', error);
      await settled();
      return toHost.find((one) => one.id === id)?.result?._meta;
    };
    const reset = Object.assign(new TypeError('terminated'), { cause: { code: 'UND_ERR_SOCKET' } });
    expect(await failed(1, reset)).toMatchObject({
      'dev.holdfast/failure': { kind: 'transport_lost', effect: 'unknown' },
    });
    const refused = Object.assign(new Error('not allowed'), { status: 403 });
    expect(await failed(2, refused)).toMatchObject({
      'dev.holdfast/failure': { kind: 'auth_failed', effect: 'none' },
    });
    // What never left may be sent again, whatever the class.
    const before = asked('tools/call').length;
    await failed(3, new UpstreamLost(false, 'nobody listens there'));
    await clock.advance(5_000);
    expect(asked('tools/call').slice(before)).toHaveLength(2);
  });

  it('leaves no request of the host without an answer that failed', () => {
    const { fromHost, upstream, toHost } = setting();
    fromHost({ id: 1, method: 'prompts/list' });
    upstream()?.onUnanswered(1, new Error('status 502'));
    expect(toHost).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'status 502' } },
    ]);
  });
});

describe('what a message of the server belongs to', () => {
  const asks = { id: 0, method: 'sampling/createMessage', params: {} };

  it('is the request on whose stream it came', async () => {
    const { call, list, asked, fromHost, fromServer, related } = setting();
    await call('a', 'look');
    await list(['look']);
    fromHost({ id: 'b', method: 'prompts/list' });
    fromServer(asks, asked('tools/call')[0]?.id);
    fromServer(asks, 'b');
    expect(related).toEqual(['a', 'b']);
  });

  it('is the one request that is open, and none where there are several', async () => {
    const { fromHost, fromServer, related } = setting();
    fromHost({ id: 'a', method: 'prompts/list' });
    fromServer(asks);
    fromHost({ id: 'b', method: 'resources/list' });
    fromServer(asks);
    expect(related).toEqual(['a', undefined]);
  });

  it('is what its progress token says', async () => {
    const { call, list, asked, fromHost, fromServer, related } = setting();
    await call('a', 'look', {}, { progressToken: 1 });
    await list(['look']);
    const params = { _meta: { progressToken: 'slow' } };
    fromHost({ id: 'b', method: 'resources/read', params });
    const progress = (progressToken: unknown) =>
      fromServer({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    progress('slow');
    progress(asked('tools/call')[0]?.id);
    expect(related).toEqual(['b', 'a']);
  });
});
