/**
 * The same assertions on LangGraph's own tool node and agent, and on ours. What differs on purpose is in
 * one table at the end of this file.
 */
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import {
  Command,
  interrupt,
  isCommand,
  MemorySaver,
  ParentCommand,
  Send,
} from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asks, asksFor, ScriptedModel, says } from '../support/scripted-model.js';
import { graphOf, sides } from './sides.js';

const schema = z.object({ at: z.string() });
const thread = { configurable: { thread_id: 'T1' } };

/** A tool of these tests: none of them has an entry. */
function made(
  name: string,
  body: (args: { at: string }, config: never) => unknown,
  fields: object = {},
): StructuredToolInterface {
  return tool(body as never, { name, description: name, schema, ...fields }) as never;
}
const look = made('look', async ({ at }) => `saw ${at}`);
const call = (name: string, at: string, id: string) => ({ name, args: { at }, id });
const asking = (...calls: ReturnType<typeof call>[]) => asks('m1', ...calls);

/** What of a message is compared: ids are made anew by both. */
const gist = (message: unknown) => {
  const { content, name, status, artifact, tool_call_id: id } = message as ToolMessage;
  return { content, name, status, artifact, id };
};
const toolMessages = (messages: readonly unknown[]) =>
  messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message)).map(gist);

describe.each(sides)('a tool node, $name', ({ node, isOurs }) => {
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
    expect(String(answers[0]?.content)).toContain(
      isOurs ? differences.unknownTool.ours : differences.unknownTool.theirs,
    );
    expect(String(answers[1]?.content)).toContain(
      isOurs ? differences.toolError.ours : differences.toolError.theirs,
    );
  });

  it('answers a wrong argument with an error', async () => {
    const output = await node([look]).invoke([
      asks('m1', { name: 'look', args: { at: 7 }, id: 'c1' }),
    ]);
    expect(toolMessages(output as never)).toMatchObject([{ id: 'c1', status: 'error' }]);
  });

  it('deals with a command that a subgraph throws at its parent', async () => {
    const throwing = made('throwing', async () => {
      throw new ParentCommand(new Command({ graph: Command.PARENT, goto: 'other' }));
    });
    const output = (await node([throwing]).invoke([
      asking(call('throwing', 'a', 'c1')),
    ])) as unknown as unknown[];
    const { ours, theirs } = differences.thrownParentCommand;
    expect(output.some((one) => isCommand(one)) ? 'returned' : 'swallowed').toBe(
      isOurs ? ours : theirs,
    );
  });
});

describe.each(sides)('an agent, $name', ({ agent }) => {
  it('runs to its end, one answer for each call', async () => {
    const model = new ScriptedModel([
      asking(call('look', 'a', 'c1'), call('look', 'b', 'c2')),
      says('Seen.'),
    ]);
    const { messages } = await agent(model, [look]).invoke({ messages: 'Look.' } as never);
    expect(messages.map((message: { text: string }) => message.text)).toEqual([
      'Look.',
      '',
      'saw a',
      'saw b',
      'Seen.',
    ]);
    expect(model.told).toHaveLength(2);
  });

  it('ends with the answer of a tool that is returned directly', async () => {
    const direct = made('direct', async () => 'that is it', { returnDirect: true });
    const model = new ScriptedModel([asksFor('direct', { at: 'a' }, 'c1'), says('Not said.')]);
    const { messages } = await agent(model, [direct]).invoke({ messages: 'Go.' } as never);
    expect(messages.at(-1)?.text).toBe('that is it');
    expect(model.told).toHaveLength(1);
  });

  it('leaves the tools that a provider runs to the provider', async () => {
    const search = { type: 'web_search', name: 'web_search' };
    const model = new ScriptedModel([asksFor('look', { at: 'a' }, 'c1'), says('Seen.')]);
    const { messages } = await agent(model, [look, search]).invoke({ messages: 'Go.' } as never);
    expect(toolMessages(messages)).toMatchObject([{ content: 'saw a', status: 'success' }]);
  });

  it('follows the command of a tool', async () => {
    const jump = made(
      'jump',
      async (_, config: { toolCall: { id: string } }) =>
        new Command({
          update: {
            messages: [new ToolMessage({ content: 'noted', tool_call_id: config.toolCall.id })],
          },
        }),
    );
    const model = new ScriptedModel([asksFor('jump', { at: 'a' }, 'c1'), says('Done.')]);
    const { messages } = await agent(model, [jump]).invoke({ messages: 'Go.' } as never);
    expect(toolMessages(messages)).toMatchObject([{ content: 'noted', id: 'c1' }]);
  });

  it('pauses for each tool that asks, and goes on with each answer', async () => {
    const asked = made('asked', async ({ at }) => `${at}: ${String(interrupt(`May I ${at}?`))}`);
    const model = new ScriptedModel([
      asking(call('asked', 'a', 'c1'), call('asked', 'b', 'c2')),
      says('Done.'),
    ]);
    const graph = agent(model, [asked], new MemorySaver());
    const paused: { __interrupt__?: { id: string; value: string }[] } = await graph.invoke(
      { messages: 'Ask.' } as never,
      thread,
    );
    const pauses = paused.__interrupt__ ?? [];
    expect(pauses.map(({ value }) => value).sort()).toEqual(['May I a?', 'May I b?']);
    const resume = Object.fromEntries(pauses.map(({ id, value }) => [id, `yes to ${value}`]));
    const { messages } = await graph.invoke(new Command({ resume }) as never, thread);
    expect(toolMessages(messages).map(({ content }) => content)).toEqual([
      'a: yes to May I a?',
      'b: yes to May I b?',
    ]);
  });
});

/** What differs on purpose, and why. */
const differences = {
  /** Theirs names no other tool (or lists all); ours says what is nearest and what to do. */
  unknownTool: { theirs: 'not found', ours: 'status: unknown_tool' },
  /** Theirs invites the model to fix its mistake, whatever it was; ours says what became of the effect. */
  toolError: { theirs: 'Please fix your mistakes', ours: 'effect: unknown' },
  /** Theirs takes it for an error without a text, and the command is lost. */
  thrownParentCommand: { theirs: 'swallowed', ours: 'returned' },
} as const;
