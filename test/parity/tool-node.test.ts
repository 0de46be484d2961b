/** The same assertions on LangGraph's own tool node and on ours; see differences.ts. */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { DynamicTool } from '@langchain/core/tools';
import {
  Command,
  InMemoryStore,
  interrupt,
  isCommand,
  MemorySaver,
  ParentCommand,
  Send,
} from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { asks, asksFor, ScriptedModel, says } from '../support/scripted-model.js';
import { differing } from './differences.js';
import { graphOf, nodeSides } from './sides.js';
import { asking, call, look, made, schema, thread, toolMessages } from './tools.js';

describe.each(nodeSides)('a tool node, $name', ({ node, isOurs }) => {
  it('answers a list of messages with a list, in the order of the calls', async () => {
    const slow = made('slow', async ({ at }) => {
      await new Promise<void>((resolve) => queueMicrotask(resolve));
      return `saw ${at} late`;
    });
    const output = await node([slow, look]).invoke([
      asking(call('slow', 'a', 'c1'), call('look', 'b', 'c2')),
    ]);
    expect(toolMessages(output as never)).toEqual([
      { content: 'saw a late', name: 'slow', status: 'success', artifact: undefined, id: 'c1' },
      { content: 'saw b', name: 'look', status: 'success', artifact: undefined, id: 'c2' },
    ]);
  });

  it('answers a state with an update', async () => {
    const messages = [new HumanMessage('Look.'), asking(call('look', 'a', 'c1'))];
    const output: { messages: unknown[] } = await node([look]).invoke({ messages } as never);
    expect(toolMessages(output.messages)).toMatchObject([{ content: 'saw a', id: 'c1' }]);
  });

  it('answers the one call that a Send hands it', async () => {
    const lg_tool_call = { ...call('look', 'b', 'c2'), type: 'tool_call' };
    const messages = [asking(call('look', 'a', 'c1'), call('look', 'b', 'c2'))];
    const output: { messages: unknown[] } = await node([look]).invoke({
      messages,
      lg_tool_call,
    } as never);
    expect(toolMessages(output.messages)).toMatchObject([{ content: 'saw b', id: 'c2' }]);
  });

  it('leaves out calls that are answered already', async () => {
    const messages = [
      asking(call('look', 'a', 'c1'), call('look', 'b', 'c2')),
      new ToolMessage({ content: 'seen', tool_call_id: 'c1' }),
    ];
    const output: { messages: unknown[] } = await node([look]).invoke({ messages } as never);
    expect(toolMessages(output.messages).map(({ id }) => id)).toEqual(['c2']);
  });

  it('keeps what a tool returns: a message of its own, blocks, an artifact', async () => {
    const own = made(
      'own',
      async (_, config: { toolCall: { id: string } }) =>
        new ToolMessage({ content: 'mine', name: 'own', tool_call_id: config.toolCall.id }),
    );
    const both = made('both', async () => ['said', { kept: true }], {
      responseFormat: 'content_and_artifact',
    });
    const blocks = made('blocks', async () => [{ type: 'text', text: 'in blocks' }]);
    const output = await node([own, both, blocks]).invoke([
      asking(call('own', 'a', 'c1'), call('both', 'a', 'c2'), call('blocks', 'a', 'c3')),
    ]);
    expect(toolMessages(output as never)).toMatchObject([
      { content: 'mine', id: 'c1' },
      { content: 'said', artifact: { kept: true }, id: 'c2' },
      { content: [{ type: 'text', text: 'in blocks' }], id: 'c3' },
    ]);
  });

  it('gives a tool its state, its config and its own call', async () => {
    let seen: Record<string, unknown> = {};
    const curious = made('curious', async (_, config: Record<string, unknown>) => {
      seen = config;
      return 'seen';
    });
    const messages = [asking(call('curious', 'a', 'c1'))];
    await node([curious]).invoke({ messages, more: 1 } as never, {
      configurable: { user: 'u1' },
      metadata: { m: 1 },
      tags: ['t'],
    });
    expect(seen).toMatchObject({
      state: { messages: [{ id: 'm1' }], more: 1 },
      toolCall: { id: 'c1', name: 'curious', args: { at: 'a' } },
      configurable: { user: 'u1' },
      metadata: { m: 1 },
    });
    expect(seen.tags).toEqual(expect.arrayContaining(['t']));
    expect(seen.signal === undefined || seen.signal instanceof AbortSignal).toBe(true);
  });

  it('passes commands on, and merges those to the parent', async () => {
    const update = new Command({ update: { note: 1 } });
    const commanding = made('commanding', async () => update);
    const handing = made(
      'handing',
      async ({ at }) => new Command({ graph: Command.PARENT, goto: [new Send('other', { at })] }),
    );
    const output = (await node([commanding, handing, look]).invoke({
      messages: [
        asking(
          call('commanding', 'a', 'c1'),
          call('handing', 'b', 'c2'),
          call('handing', 'c', 'c3'),
          call('look', 'd', 'c4'),
        ),
      ],
    } as never)) as unknown as unknown[];
    const commands = output.filter(isCommand);
    expect(commands.filter(({ graph }) => graph === undefined)).toMatchObject([
      { update: { note: 1 } },
    ]);
    const toParent = commands.filter(({ graph }) => graph === Command.PARENT);
    expect(toParent).toHaveLength(1);
    const sends = toParent.flatMap(({ goto }) => goto as Send[]);
    expect(sends.map(({ args }) => args)).toEqual([{ at: 'b' }, { at: 'c' }]);
    const rest = output.filter((one) => !isCommand(one)) as { messages: unknown[] }[];
    expect(rest.flatMap(({ messages }) => toolMessages(messages))).toMatchObject([{ id: 'c4' }]);
  });

  it('takes what a generator returns, not what it yields', async () => {
    const counting = made('counting', async function* () {
      yield 'one';
      return 'two';
    });
    const output = await node([counting]).invoke([asking(call('counting', 'a', 'c1'))]);
    expect(toolMessages(output as never)).toMatchObject([{ id: 'c1', status: 'success' }]);
    expect(String(toolMessages(output as never)[0]?.content)).toContain('two');
  });

  it('stops at a pause of a tool and goes on with the answer', async () => {
    const asked = made('asked', async () => `told ${String(interrupt('May I?'))}`);
    const model = new ScriptedModel([asksFor('asked', { at: 'a' }, 'c1'), says('Done.')]);
    const graph = graphOf(model, node([asked]), new MemorySaver());
    const paused = await graph.invoke({ messages: 'Ask.' } as never, thread);
    expect((paused as { __interrupt__?: unknown }).__interrupt__).toMatchObject([
      { value: 'May I?' },
    ]);
    const { messages } = await graph.invoke(new Command({ resume: 'yes' }) as never, thread);
    expect(toolMessages(messages)).toMatchObject([{ content: 'told yes', status: 'success' }]);
  });

  it('answers with an error what no tool can answer, and every sibling all the same', async () => {
    const broken = made('broken', async () => {
      throw new Error('it broke');
    });
    const output = await node([look, broken]).invoke([
      asking(call('lok', 'a', 'c1'), call('broken', 'b', 'c2'), call('look', 'c', 'c3')),
    ]);
    const answers = toolMessages(output as never);
    expect(answers.map(({ id, status }) => [id, status])).toEqual([
      ['c1', 'error'],
      ['c2', 'error'],
      ['c3', 'success'],
    ]);
    expect(String(answers[0]?.content)).toContain(differing('unknownTool', isOurs));
    expect(String(answers[1]?.content)).toContain(differing('toolError', isOurs));
  });

  it('answers a wrong argument with an error', async () => {
    const output = await node([look]).invoke([
      asks('m1', { name: 'look', args: { at: 7 }, id: 'c1' }),
    ]);
    expect(toolMessages(output as never)).toMatchObject([{ id: 'c1', status: 'error' }]);
  });

  it('gives a tool what its graph has: context, store and writer', async () => {
    const seen: Record<string, unknown> = {};
    const curious = made('curious', async (_, runtime: Record<string, unknown>) => {
      const { context, store, writer, state, toolCallId } = runtime;
      Object.assign(seen, { context, state, toolCallId });
      (writer as (chunk: unknown) => void)({ half: 'done' });
      await (store as InMemoryStore).put(['notes'], 'n1', { text: 'kept' });
      return 'seen';
    });
    const store = new InMemoryStore();
    const model = new ScriptedModel([asksFor('curious', { at: 'a' }, 'c1'), says('Done.')]);
    const graph = graphOf(model, node([curious]), undefined, store);
    const written: unknown[] = [];
    const config = { ...thread, context: { user: 'u1' }, streamMode: 'custom' as const };
    for await (const chunk of await graph.stream({ messages: 'Look.' } as never, config)) {
      written.push(chunk);
    }
    expect(seen).toMatchObject({
      context: { user: 'u1' },
      toolCallId: 'c1',
      state: { messages: [{ text: 'Look.' }, { tool_calls: [{ id: 'c1' }] }] },
    });
    expect(written).toEqual([{ half: 'done' }]);
    expect((await store.get(['notes'], 'n1'))?.value).toEqual({ text: 'kept' });
  });

  it('takes a tool that has a string for its argument, and a runnable', async () => {
    const plain = new DynamicTool({
      name: 'plain',
      description: 'Plain.',
      func: async (input: string) => `said ${input}`,
    });
    const asTool = RunnableLambda.from(async ({ at }: { at: string }) => `ran ${at}`).asTool({
      name: 'as_tool',
      schema,
    });
    const output = await node([plain, asTool]).invoke([
      asks(
        'm1',
        { name: 'plain', args: { input: 'a' }, id: 'c1' },
        { name: 'as_tool', args: { at: 'b' }, id: 'c2' },
      ),
    ]);
    expect(toolMessages(output as never)).toMatchObject([
      { content: 'said a', id: 'c1' },
      { content: 'ran b', id: 'c2' },
    ]);
  });

  it('throws what failed, where it is told to', async () => {
    let worked = false;
    const broken = made('broken', async () => {
      throw new Error('it broke');
    });
    const slow = made('slow', async () => {
      await endOfTurn();
      worked = true;
      return 'done';
    });
    const throwing = node([broken, slow], { handleToolErrors: false });
    const thrown: unknown = await throwing
      .invoke([asking(call('broken', 'a', 'c1'), call('slow', 'b', 'c2'))])
      .catch((error: unknown) => error);
    expect(String(thrown)).toContain('it broke');
    expect(worked ? 'waited' : 'not waited').toBe(differing('siblingOfThrown', isOurs));
  });

  it('runs calls whose ids are missing or were used in an earlier turn', async () => {
    const earlier = [asks('m0', call('look', 'a', 'call_0'))];
    const messages = [
      ...earlier,
      new ToolMessage({ content: 'saw a', tool_call_id: 'call_0' }),
      new HumanMessage('Again.'),
      asks('m1', call('look', 'b', 'call_0'), call('look', 'c', '')),
    ];
    const output: { messages: unknown[] } = await node([look]).invoke({ messages } as never);
    const answers = toolMessages(output.messages);
    expect(answers.map(({ content }) => content).join(', ')).toBe(differing('reusedId', isOurs));
    expect(answers.at(-1)?.id === '' ? 'without' : 'with one').toBe(differing('missingId', isOurs));
  });

  it('refuses an input without messages of the model', async () => {
    await expect(node([look]).invoke({ other: 1 } as never)).rejects.toThrow();
    await expect(node([look]).invoke([new HumanMessage('Hi.')])).rejects.toThrow();
  });

  it('deals with a command that a subgraph throws at its parent', async () => {
    const throwing = made('throwing', async () => {
      throw new ParentCommand(new Command({ graph: Command.PARENT, goto: 'other' }));
    });
    const output = (await node([throwing]).invoke([
      asking(call('throwing', 'a', 'c1')),
    ])) as unknown as unknown[];
    expect(output.some((one) => isCommand(one)) ? 'returned' : 'swallowed').toBe(
      differing('thrownParentCommand', isOurs),
    );
  });
});
