import { describe, expect, it } from 'vitest';
import { META } from '../proxy/meta.js';
import { clients, DeskTransport, deskGuard, text } from './desk.fixture.js';
import { failureOf } from './failure-of.js';
import { guardClient } from './guard-client.js';

/** An error of the HTTP transports for a server that does not know the session. */
const forgotten = Object.assign(new Error('Error POSTing to endpoint: Session not found'), {
  name: 'StreamableHTTPError',
  code: 404,
});

/** A client that can make its transport anew; what it makes is the test's to see. */
async function scene(version: string, failing?: DeskTransport['failing']) {
  const { clock, guard, ledger, events } = deskGuard();
  const made: DeskTransport[] = [];
  const client = clients[version]?.();
  if (client === undefined) throw new TypeError(version);
  const first = new DeskTransport();
  first.givesSession = 's1';
  guardClient(client, {
    guard,
    server: 'desk',
    transport: () => {
      const transport = new DeskTransport();
      transport.givesSession = `s${made.length + 2}`;
      transport.failing = failing;
      made.push(transport);
      return transport;
    },
  });
  await client.connect(first);
  let closings = 0;
  client.onclose = () => {
    closings += 1;
  };
  const settled = () => clock.advance(0);
  return { clock, guard, ledger, events, client, first, made, settled, closings: () => closings };
}

describe.each(Object.keys(clients))(
  'a client of %s whose transport can be made anew',
  (version) => {
    it('MCP-24: begins again with a server that has forgotten it, once, and sends the call again, even one that cannot be undone', async () => {
      const { client, first, made, settled, ledger } = await scene(version);
      first.failing = ({ method }) => (method === 'tools/call' ? forgotten : undefined);
      const answers = ['b1', 'b2'].map((bill) =>
        client.callTool({ name: 'pay', arguments: { bill } }),
      );
      await settled();
      expect(made).toHaveLength(1);
      const [second] = made;
      expect(second?.asked('initialize')).toHaveLength(1);
      expect(second?.asked('notifications/initialized')).toHaveLength(1);
      expect(second?.version).toBe('2025-11-25');
      for (const { id } of second?.asked('tools/call') ?? []) {
        second?.say({ id: id as string, result: text('paid') });
      }
      expect(await Promise.all(answers)).toEqual([text('paid'), text('paid')]);
      const rows = await ledger.find({ tenant: 'default', intentId: 'mcp:desk' });
      expect(rows.map(({ state, attempts }) => [state, attempts.length])).toEqual([
        ['succeeded', 1],
        ['succeeded', 1],
      ]);
    });

    it('MCP-24: takes a second refusal for what it is', async () => {
      const forgets: DeskTransport['failing'] = ({ method }) =>
        method === 'tools/call' ? forgotten : undefined;
      const { client, first, made, clock } = await scene(version, forgets);
      first.failing = forgets;
      const answer = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
      await clock.advance(60_000);
      expect(failureOf(await answer)).toMatchObject({ kind: 'dependency_failed', effect: 'none' });
      expect(made.length).toBe(3);
    });

    it('MCP-26, MCP-28: goes on with the next call after a lost connection, and its program hears nothing of it', async () => {
      const { client, first, made, settled, closings } = await scene(version);
      const lost = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
      await settled();
      first.drop();
      await settled();
      expect(failureOf(await lost)).toMatchObject({ kind: 'transport_lost', effect: 'unknown' });
      expect(closings()).toBe(0);
      const next = client.callTool({ name: 'look', arguments: {} });
      await settled();
      made[0]?.answer(text('seen'));
      expect(await next).toEqual(text('seen'));
      void client.close();
      await settled();
      expect([closings(), made[0]?.isOpen]).toEqual([1, false]);
    });

    it('has what is no call pass the new way, too', async () => {
      const { client, first, made } = await scene(version);
      first.drop();
      expect(await client.listTools()).toMatchObject({ tools: [{ name: 'look' }, {}, {}] });
      expect(made).toHaveLength(1);
    });

    it('says that a call did not leave where the server cannot be reached', async () => {
      const { clock, guard } = deskGuard();
      const client = clients[version]?.();
      const first = new DeskTransport();
      if (client === undefined) throw new TypeError(version);
      let tries = 0;
      guardClient(client, {
        guard,
        server: 'desk',
        transport: () => {
          tries += 1;
          const broken = new DeskTransport();
          broken.start = async () => {
            throw new Error('connect ECONNREFUSED');
          };
          return broken;
        },
      });
      await client.connect(first);
      first.drop();
      const answer = client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
      await clock.advance(60_000);
      expect(failureOf(await answer)).toMatchObject({ kind: 'transport_lost', effect: 'none' });
      // Once for the list of tools, and three times for the call.
      expect(tries).toBe(4);
    });
  },
);

describe.each(Object.keys(clients))('the list of tools of a client of %s', (version) => {
  const listing = async (page: DeskTransport['page']) => {
    const { guard, events, clock } = deskGuard();
    const client = clients[version]?.();
    if (client === undefined) throw new TypeError(version);
    const desk = new DeskTransport();
    desk.page = page;
    guardClient(client, { guard, server: 'desk' });
    await client.connect(desk);
    return { client, desk, events, clock };
  };
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

  it('MCP-35, MCP-36: has all its pages, each name once, and an end', async () => {
    const { client, desk, events } = await listing((params) =>
      params?.cursor === undefined
        ? { tools: [tool('a'), tool('b')], nextCursor: 'x' }
        : { tools: [tool('b'), tool('c')], nextCursor: 'x' },
    );
    expect(await client.listTools()).toEqual({ tools: [tool('a'), tool('b'), tool('c')] });
    expect(desk.asked('tools/list')).toHaveLength(2);
    expect(events.of('warning').map(({ code }) => code)).toEqual(['tools_unread']);
    // Who turns the pages itself comes to an end, too.
    expect(await client.listTools({ cursor: 'x' })).toEqual({ tools: [tool('b'), tool('c')] });
  });

  it('has the docs of declared tools from their entries, and of others as the server wrote them', async () => {
    const promised = { ...tool('pay'), title: 'Pay', outputSchema: { type: 'object' } };
    const { client } = await listing(() => ({ tools: [promised, tool('other')] }));
    const { tools } = (await client.listTools()) as { tools: readonly object[] };
    expect(tools).toEqual([
      expect.objectContaining({
        title: 'Pay',
        description: expect.stringContaining('Pay a bill.'),
        inputSchema: expect.objectContaining({ required: ['bill'] }),
        outputSchema: { type: 'object' },
        annotations: expect.objectContaining({ destructiveHint: true }),
      }),
      tool('other'),
    ]);
  });

  it('MCP-38: survives a schema that leads nowhere', async () => {
    const broken = { ...tool('b'), outputSchema: { type: 'object', $ref: '#/$defs/gone' } };
    const { client, desk, clock } = await listing(() => ({
      tools: [tool('a'), broken, tool('c')],
    }));
    expect(await client.listTools()).toEqual({ tools: [tool('a'), broken, tool('c')] });
    const answer = client.callTool({ name: 'b', arguments: {} });
    await clock.advance(0);
    desk.answer({ ...text('done'), structuredContent: { any: 1 } });
    expect(await answer).toMatchObject(text('done'));
  });

  it('MCP-40: has a result that is not what was promised given all the same, with a warning', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const { client, desk, clock } = await listing(() => ({
      tools: [{ ...tool('a'), outputSchema }],
    }));
    await client.listTools();
    const answer = client.callTool({ name: 'a', arguments: {} });
    await clock.advance(0);
    desk.answer({ ...text('done'), structuredContent: { n: 'seven' } });
    expect(await answer).toMatchObject({ ...text('done'), structuredContent: { n: 'seven' } });
    expect(await answer).toMatchObject({ _meta: { [META.warnings]: [expect.any(String)] } });
  });
});
