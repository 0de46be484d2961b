/** The same assertions on the agents of LangChain and LangGraph, as they are and guarded; see differences.ts. */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { asksFor, ScriptedModel, says } from '../support/scripted-model.js';
import { differing } from './differences.js';
import { agents } from './sides.js';
import { asking, call, look, made, thread, toolMessages } from './tools.js';

describe.each(agents)('$name', ({ agent, sends, asksTogether, isOurs }) => {
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
    const paused: { __interrupt__?: { id: string; value: unknown }[] } = await graph.invoke(
      { messages: 'Ask.' } as never,
      thread,
    );
    const pauses = paused.__interrupt__ ?? [];
    if (!sends) {
      expect(pauses).toHaveLength(1);
      const asked = JSON.stringify(pauses[0]?.value)
        .match(/May I .\?/g)
        ?.join(' ');
      expect(asked).toBe(differing('pausesOfOneTask', asksTogether));
      return;
    }
    expect(pauses.map(({ value }) => value).sort()).toEqual(['May I a?', 'May I b?']);
    const resume = Object.fromEntries(
      pauses.map(({ id, value }) => [id, `yes to ${String(value)}`]),
    );
    const { messages } = await graph.invoke(new Command({ resume }) as never, thread);
    expect(toolMessages(messages).map(({ content }) => content)).toEqual([
      'a: yes to May I a?',
      'b: yes to May I b?',
    ]);
  });

  it('streams what its tools write, and its messages', async () => {
    const writing = made('writing', async ({ at }, runtime: { writer(chunk: unknown): void }) => {
      runtime.writer({ at });
      return `wrote ${at}`;
    });
    const model = new ScriptedModel([asksFor('writing', { at: 'a' }, 'c1'), says('Done.')]);
    const streamMode: ('custom' | 'messages')[] = ['custom', 'messages'];
    const seen: unknown[] = [];
    const stream = await agent(model, [writing]).stream({ messages: 'Go.' } as never, {
      streamMode,
    });
    for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
      seen.push(mode === 'custom' ? chunk : (chunk as { text: string }[])[0]?.text);
    }
    expect(seen).toEqual(expect.arrayContaining([{ at: 'a' }, 'wrote a', 'Done.']));
  });

  it('goes by a message with a call that cannot be read', async () => {
    const garbled = new AIMessage({
      content: '',
      invalid_tool_calls: [{ name: 'look', args: '{"at":', id: 'c1' }],
    });
    const model = new ScriptedModel([garbled, says('Sorry.')]);
    const { messages } = await agent(model, [look]).invoke({ messages: 'Look.' } as never);
    expect(messages.at(-1)?.text === 'Sorry.' ? 'asked again' : 'ended').toBe(
      differing('unreadableCall', isOurs),
    );
  });

  it('goes by a message that was cut off', async () => {
    let done = false;
    const acting = made('acting', async () => {
      done = true;
      return 'acted';
    });
    const cutOff = asksFor('acting', { at: 'a' }, 'c1');
    cutOff.response_metadata = { finish_reason: 'length' };
    const model = new ScriptedModel([cutOff, says('Well.')]);
    await agent(model, [acting]).invoke({ messages: 'Act.' } as never);
    expect(done ? 'done' : 'not done').toBe(differing('cutOffMessage', isOurs));
  });
});
