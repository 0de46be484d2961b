/** A guarded client under LangChain's adapter, in agents: alone, and together with the guard of LangGraph. */
import { memorySink } from '@holdfast/call-guard';
import { memoryLedger } from '@holdfast/effect-ledger';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { guardClient } from '@holdfast/mcp-guard';
import { assumed, defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { MemorySaver } from '@langchain/langgraph';
import { loadMcpTools } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asksFor, ScriptedModel, says } from '../support/scripted-model.js';
import { testClock } from '../support/test-clock.js';

const of = { resourceGroup: 'bills', owner: 'bills@team', latency: assumed(5_000) };
const bill = z.object({ bill: z.string() });
const registry = defineRegistry({
  name: 'bills',
  resourceGroups: { bills: {} },
  tools: [
    defineTool({
      ...of,
      name: 'look',
      summary: 'Look at a bill.',
      input: bill,
      idempotency: read(),
    }),
    defineTool({
      ...of,
      name: 'pay',
      summary: 'Pay a bill.',
      input: bill,
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
    }),
    defineTool({
      ...of,
      name: 'settle_all',
      summary: 'Pay a bill and file it.',
      input: bill,
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
    }),
  ],
});

interface Deed {
  readonly bill: string;
  readonly key: unknown;
}

/**
 * A server that pays bills, and a guarded client of it in a program of its own.
 *
 * @param losing tools whose answers are lost with the connection
 */
async function scene(...losing: readonly ('look' | 'pay')[]) {
  const clock = testClock();
  const ledger = memoryLedger({ now: clock.wallMs });
  const events = memorySink();
  const guard = createLangGraphGuard({
    registry,
    ledger,
    clock,
    events: [events],
    ask: 'message',
    random: () => 0,
  });
  const deeds: Deed[] = [];
  let looks = 0;
  const connect = (): InMemoryTransport => {
    const server = new McpServer({ name: 'bills', version: '1' });
    const [here, there] = InMemoryTransport.createLinkedPair();
    const lose = (): void => void there.close();
    server.registerTool('look', { inputSchema: bill.shape }, async (args) => {
      looks += 1;
      if (losing.includes('look')) lose();
      return { content: [{ type: 'text', text: `${args.bill} is open` }] };
    });
    server.registerTool('pay', { inputSchema: bill.shape }, async (args, { _meta }) => {
      deeds.push({ bill: args.bill, key: _meta?.['dev.holdfast/idempotency-key'] });
      if (losing.includes('pay')) lose();
      return { content: [{ type: 'text', text: `paid ${args.bill}` }] };
    });
    void server.connect(there);
    return here;
  };
  const plain = new Client({ name: 'agent', version: '1' });
  const client = guardClient(plain, { guard, server: 'bills', transport: connect });
  await client.connect(connect());
  const tools = await loadMcpTools('bills', client);
  return { guard, ledger, events, client, tools, deeds, looks: () => looks };
}

const onThread = { configurable: { thread_id: 'T1' } };
const asking = { messages: [{ role: 'user', content: 'Settle my bills.' }] };
const texts = (messages: readonly { readonly type: string; readonly text: string }[]) =>
  messages.filter(({ type }) => type === 'tool').map(({ text }) => text);

describe('tools that loadMcpTools makes of a guarded client', () => {
  it('tell the model what is not known, and that it is not done again', async () => {
    const { tools, deeds } = await scene('pay');
    const model = new ScriptedModel([
      asksFor('pay', { bill: 'b1' }, 'c1'),
      asksFor('pay', { bill: 'b1' }, 'c2'),
      says('Somebody has to look.'),
    ]);
    const { messages } = await createAgent({ model, tools }).invoke(asking);
    const [first, second] = texts(messages);
    expect(first).toContain('status: transport_lost\neffect: unknown');
    expect(second).toContain('status: outcome_unknown\neffect: unknown');
    expect(deeds).toHaveLength(1);
  });

  it('MCP-74: are tried again as often as their class allows, and no more', async () => {
    const { tools, looks, events } = await scene('look');
    const model = new ScriptedModel([asksFor('look', { bill: 'b1' }, 'c1'), says('It fails.')]);
    const { messages } = await createAgent({ model, tools }).invoke(asking);
    expect(texts(messages)[0]).toContain('status: transport_lost');
    expect(looks()).toBe(3);
    expect(events.of('attempt_started')).toHaveLength(3);
  });

  it('have their results given as the server wrote them', async () => {
    const { tools, deeds } = await scene();
    const model = new ScriptedModel([
      asksFor('look', { bill: 'b1' }, 'c1'),
      asksFor('pay', { bill: 'b1' }, 'c2'),
      says('Done.'),
    ]);
    const { messages } = await createAgent({ model, tools }).invoke(asking);
    expect(texts(messages)).toEqual(['b1 is open', 'paid b1']);
    expect(deeds).toHaveLength(1);
  });
});

describe('the same tools in the guard of LangGraph, which the client has, too', () => {
  it('pass one gate: one row, one key, which the server gets', async () => {
    const { guard, ledger, tools, deeds } = await scene();
    const model = new ScriptedModel([asksFor('pay', { bill: 'b1' }, 'c1'), says('Paid.')]);
    const agent = createAgent({
      model: guard.model(model),
      tools: guard.tools(tools),
      checkpointer: guard.checkpointer(new MemorySaver()),
    });
    const { output, report } = await guard.run(agent, asking, onThread);
    expect(texts(output?.messages ?? [])).toEqual(['paid b1']);
    expect(report.status).toBe('complete');
    const rows = await ledger.find({ runId: report.runId });
    expect(rows.map(({ tool: name, state }) => [name, state])).toEqual([['pay', 'succeeded']]);
    expect(deeds).toEqual([{ bill: 'b1', key: rows[0]?.key }]);
  });

  it('MCP-74: are classified once, however they are wrapped on the way', async () => {
    const { guard, ledger, tools, deeds, looks } = await scene('look', 'pay');
    const model = new ScriptedModel([
      asksFor('look', { bill: 'b1' }, 'c1'),
      asksFor('pay', { bill: 'b1' }, 'c2'),
      says('Somebody has to look.'),
    ]);
    const agent = createAgent({
      model: guard.model(model),
      tools: guard.tools(tools),
      checkpointer: guard.checkpointer(new MemorySaver()),
    });
    const { output, report } = await guard.run(agent, asking, onThread);
    const [looked, paid] = texts(output?.messages ?? []);
    expect(looked).toContain('status: transport_lost\neffect: none');
    expect(paid).toContain('status: transport_lost\neffect: unknown');
    expect([looks(), deeds.length]).toEqual([3, 1]);
    const rows = await ledger.find({ runId: report.runId });
    expect(rows.map(({ tool: name, state }) => [name, state])).toEqual([['pay', 'unknown']]);
  });

  it('are called by other guarded tools with rows of their own, under the same intent', async () => {
    const { guard, ledger, client, deeds } = await scene();
    const keys: unknown[] = [];
    const settleAll = guard.implement('settle_all', async (args, call) => {
      await client.callTool({ name: 'pay', arguments: args });
      keys.push(call.idempotencyKey);
      return 'settled';
    });
    const model = new ScriptedModel([asksFor('settle_all', { bill: 'b1' }, 'c1'), says('Done.')]);
    const agent = createAgent({
      model: guard.model(model),
      tools: [settleAll],
      checkpointer: guard.checkpointer(new MemorySaver()),
    });
    const { report } = await guard.run(agent, asking, onThread);
    const rows = await ledger.find({ runId: report.runId });
    expect(rows.map(({ tool: name, state }) => [name, state])).toEqual([
      ['settle_all', 'succeeded'],
      ['pay', 'succeeded'],
    ]);
    expect(keys).toEqual([rows[0]?.key]);
    expect(deeds.map(({ key }) => key)).toEqual([rows[1]?.key]);
  });

  it('belong to the run that they are called in, without a tool around them', async () => {
    const { guard, ledger, client, deeds } = await scene();
    const pay = () => client.callTool({ name: 'pay', arguments: { bill: 'b1' } });
    const work = () => guard.inRun({ intentId: 'order 7' }, pay);
    expect(await work()).toMatchObject({ content: [{ text: 'paid b1' }] });
    expect(await work()).toMatchObject({ content: [{ text: 'paid b1' }] });
    expect(deeds).toHaveLength(1);
    const rows = await ledger.find({ tenant: 'default', intentId: 'order 7' });
    expect(rows.map(({ tool: name }) => name)).toEqual(['pay']);
  });

  it('share their breaker: what fails in one way is not called in the other', async () => {
    const { guard, client, looks } = await scene('look');
    for (let at = 0; at < 3; at += 1) {
      await client.callTool({ name: 'look', arguments: { bill: `b${at}` } });
    }
    const before = looks();
    const answer = await guard.call(
      { tool: 'look', args: { bill: 'b9' }, callId: 'c9' },
      async () => 'seen',
    );
    expect(answer).toMatchObject({ ok: false, failure: { kind: 'circuit_open' } });
    expect(looks()).toBe(before);
  });
});

describe('a program of several clients', () => {
  it('has probes ask through the client whose server has the tool', async () => {
    const { guard, tools } = await scene();
    expect(tools.map(({ name }) => name)).toEqual(['look', 'pay']);
    expect(() => guard.adapter.checkExecutors(['look'])).not.toThrow();
  });
});
