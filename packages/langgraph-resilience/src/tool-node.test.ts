import { isGuardError } from '@holdfast/call-guard';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { tool } from '@langchain/core/tools';
import {
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asksFor, desk, gate, ScriptedModel, says, toolCall } from './adapter.fixture.js';

const onThread = { configurable: { thread_id: 'T1', intent_id: 'i1' } };
const human = new HumanMessage({ id: 'h1', content: 'Hello.' });

function asks(id: string | undefined, ...calls: readonly ToolCall[]): AIMessage {
  return new AIMessage({
    content: '',
    tool_calls: [...calls],
    ...(id === undefined ? {} : { id }),
  });
}

function answersIn(messages: readonly BaseMessage[]): ToolMessage[] {
  return messages.filter((message): message is ToolMessage => message.getType() === 'tool');
}

/** The messages that a node returns for a state of these. */
async function answersOf(node: ToolNode, ...messages: BaseMessage[]): Promise<BaseMessage[]> {
  const update: { messages: BaseMessage[] } = await node.invoke({ messages }, onThread);
  return update.messages;
}

describe('a guarded tool node', () => {
  it('is a ToolNode whose tools are guarded', () => {
    const { guard, sendMail } = desk();
    const node = guard.toolNode([sendMail], { name: 'my_tools', tags: ['a'] });
    expect(node).toBeInstanceOf(ToolNode);
    expect(node.name).toBe('my_tools');
    const [guarded] = node.tools;
    expect(guarded).not.toBe(sendMail);
    expect(guard.toolNode([guarded ?? sendMail]).tools[0]).toBe(guarded);
  });

  it.each(['v1', 'v2'] as const)('goes where createReactAgent %s takes one', async (version) => {
    const { guard, sendMail, done, ledger } = desk();
    const model = new ScriptedModel([asksFor('send_mail', { to: 'a' }, 'c1'), says('Sent.')]);
    const agent = createReactAgent({
      llm: model,
      tools: guard.toolNode([sendMail]),
      version,
      checkpointer: guard.checkpointer(new MemorySaver()),
    });
    const output = await agent.invoke({ messages: [human] }, onThread);
    expect(output.messages.map((message) => message.getType())).toEqual([
      'human',
      'ai',
      'tool',
      'ai',
    ]);
    expect(done).toEqual(['a']);
    const [row] = await ledger.find({ tenant: 'default', intentId: 'i1' });
    expect(row).toMatchObject({ state: 'succeeded', place: { callId: 'c1', position: 0 } });
  });

  it('answers every call in order, whatever became of its siblings', async () => {
    const { guard, sendMail, done } = desk();
    const node = guard.toolNode([sendMail]);
    const answers = await answersOf(
      node,
      human,
      asks(
        'm1',
        toolCall('send_mail', { to: 'a' }, 'c1'),
        toolCall('send_mail', { to: 7 }, 'c2'),
        toolCall('send_mial', { to: 'b' }, 'c3'),
        toolCall('send_mail', { to: 'b' }, 'c4'),
      ),
    );
    expect(
      answersIn(answers).map(({ tool_call_id: id, status, artifact }) => [
        id,
        status,
        artifact?.kind,
      ]),
    ).toEqual([
      ['c1', 'success', undefined],
      ['c2', 'error', 'invalid_arguments'],
      ['c3', 'error', 'unknown_tool'],
      ['c4', 'success', undefined],
    ]);
    expect(answers[2]?.text).toContain('Nearest: send_mail');
    expect(done.toSorted()).toEqual(['a', 'b']);
  });

  it('answers what the gate itself cannot', async () => {
    const { guard, sendMail, done } = desk();
    const node = guard.toolNode([sendMail]);
    const [guarded] = node.tools;
    const broken = Object.create(guarded ?? null, {
      invoke: {
        value: async () => {
          throw new Error('a wrapper broke');
        },
      },
    });
    node.tools = [broken];
    const [answer] = answersIn(
      await answersOf(node, human, asks('m1', toolCall('send_mail', { to: 'a' }))),
    );
    expect(answer?.artifact).toMatchObject({ kind: 'dependency_failed', effect: 'none' });
    expect(done).toEqual([]);
  });

  it('told to throw failures, does so when all calls have ended', async () => {
    const { guard, sendMail, done } = desk();
    const node = guard.toolNode([sendMail], { handleToolErrors: false });
    const calls = [
      toolCall('send_mail', { to: 7 }, 'c1'),
      toolCall('send_mail', { to: 'a' }, 'c2'),
    ];
    const thrown: unknown = await answersOf(node, human, asks('m1', ...calls)).catch((e) => e);
    expect(isGuardError(thrown, 'invalid_arguments')).toBe(true);
    expect(done).toEqual(['a']);
  });

  it('says what is wrong with an input that holds no calls', async () => {
    const node = desk().guard.toolNode([]);
    await expect(node.invoke({ other: 1 })).rejects.toMatchObject({
      code: 'input_invalid',
      field: 'input of the tool node',
      reason: 'it is neither a list of messages nor a state with messages',
    });
    await expect(node.invoke([human])).rejects.toMatchObject({
      code: 'input_invalid',
      reason: 'its messages hold none of the model',
    });
  });

  it('takes a provider`s own tool beside the others, and never calls it', async () => {
    const { guard, sendMail } = desk();
    const search = { type: 'web_search' } as never;
    const node = guard.toolNode([sendMail, search]);
    expect(node.tools[1]).toBe(search);
    const [answer] = answersIn(
      await answersOf(node, human, asks('m1', toolCall('web_search', {}))),
    );
    expect(answer?.artifact).toMatchObject({ kind: 'unknown_tool' });
  });
});

describe('call ids', () => {
  const mailA = { name: 'send_mail', args: { to: 'a' } };
  const mailB = { name: 'send_mail', args: { to: 'b' } };

  it('LG-50: an id of an earlier turn does not make a call count as answered', async () => {
    const { guard, sendMail, done } = desk();
    const answers = await answersOf(
      guard.toolNode([sendMail]),
      human,
      asks('m1', { ...mailA, id: 'call_0' }),
      new ToolMessage({ content: 'sent to a', tool_call_id: 'call_0' }),
      new HumanMessage({ id: 'h2', content: 'Now b.' }),
      asks('m2', { ...mailB, id: 'call_0' }),
    );
    expect(done).toEqual(['b']);
    expect(answersIn(answers).map(({ tool_call_id: id }) => id)).toEqual(['call_0']);
    expect(answers).toHaveLength(1);
  });

  it('LG-50: what is answered after its message is not answered again', async () => {
    const { guard, sendMail, done } = desk();
    const answers = await answersOf(
      guard.toolNode([sendMail]),
      human,
      asks('m1', { ...mailA, id: 'c1' }, { ...mailB, id: 'c2' }),
      new ToolMessage({ content: 'sent to a', tool_call_id: 'c1' }),
    );
    expect(answersIn(answers).map(({ tool_call_id: id }) => id)).toEqual(['c2']);
    expect(done).toEqual(['b']);
  });

  it('LG-50: missing and duplicate ids become unique, in the model`s message too', async () => {
    const { guard, sendMail, ledger } = desk();
    const state = [
      human,
      asks(
        'm1',
        { ...mailA },
        { ...mailB, id: 'x' },
        { name: 'send_mail', args: { to: 'c' }, id: 'x' },
      ),
    ];
    const [mended, ...answers] = await answersOf(guard.toolNode([sendMail]), ...state);
    const ids = answersIn(answers).map(({ tool_call_id: id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual([expect.stringMatching(/^call_/), 'x', expect.stringMatching(/^call_/)]);
    expect(mended).toMatchObject({ id: 'm1', tool_calls: ids.map((id) => ({ id })) });
    const rows = await ledger.find({ tenant: 'default', intentId: 'i1' });
    expect(rows.map(({ place }) => [place.messageId, place.position, place.callId])).toEqual(
      ids.map((id, position) => ['m1', position, id]),
    );
    // A node that is entered again finds the same calls.
    const [, ...again] = await answersOf(guard.toolNode([sendMail]), ...state);
    expect(answersIn(again).map(({ tool_call_id: id }) => id)).toEqual(ids);
    expect(await ledger.find({ tenant: 'default', intentId: 'i1' })).toHaveLength(3);
  });

  it('LG-50: they do in the state of a graph, also where each call is a task of its own', async () => {
    const { guard, sendMail } = desk();
    const model = new ScriptedModel([asks('m1', mailA, mailB, { ...mailB }), says('Sent.')]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', guard.toolNode([sendMail]))
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', guard.route('tools'), ['tools', END])
      .addEdge('tools', 'agent')
      .compile();
    const { messages } = await graph.invoke({ messages: [human] }, onThread);
    const [, asked, ...rest] = messages;
    const ids = (asked as AIMessage).tool_calls?.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(answersIn(rest).map(({ tool_call_id: id }) => id)).toEqual(ids);
    expect(rest).toHaveLength(4);
  });
});

describe('what steers the graph', () => {
  const handOver = (give: (to: string) => unknown) =>
    tool(async ({ to }) => give(to), {
      name: 'send_mail',
      description: 'Hand over.',
      schema: z.object({ to: z.string() }),
    });
  const both = () =>
    asks(
      'm1',
      toolCall('send_mail', { to: 'a' }, 'c1'),
      toolCall('send_mail', { to: 'b' }, 'c2'),
      toolCall('look_up', { id: 'x' }, 'c3'),
    );

  it('sends to the parent graph are merged, and stand beside the messages', async () => {
    const { guard } = desk();
    const node = guard.toolNode([
      handOver((to) => new Command({ graph: Command.PARENT, goto: [new Send('other', { to })] })),
      tool(async () => ({ id: 'x', found: true }), {
        name: 'look_up',
        description: 'Look.',
        schema: z.object({ id: z.string() }),
      }),
    ]);
    const outputs: unknown = await node.invoke({ messages: [human, both()] }, onThread);
    expect(outputs).toMatchObject([
      { messages: [{ tool_call_id: 'c3' }] },
      {
        graph: Command.PARENT,
        goto: [
          { node: 'other', args: { to: 'a' } },
          { node: 'other', args: { to: 'b' } },
        ],
      },
    ]);
  });

  it('a pause waits for its siblings, whose results are not lost', async () => {
    const { guard, done, ledger } = desk();
    const slow = gate();
    const model = new ScriptedModel([both(), says('Done.')]);
    const agent = createReactAgent({
      llm: model,
      tools: guard.toolNode([
        tool(
          async ({ to }: { to: string }) => {
            if (to === 'a') {
              const answer: string = interrupt('a?');
              return `a says ${answer}`;
            }
            await slow.opened;
            done.push(to);
            return `sent to ${to}`;
          },
          { name: 'send_mail', description: 'Send.', schema: z.object({ to: z.string() }) },
        ),
      ]),
      checkpointer: guard.checkpointer(new MemorySaver()),
    });
    const pausing = agent.invoke({ messages: [human] }, onThread);
    slow.open();
    await pausing;
    expect(done).toEqual(['b']);
    const rows = await ledger.find({ tenant: 'default', intentId: 'i1' });
    expect(rows.map(({ state }) => state).toSorted()).toEqual(['succeeded', 'suspended']);
    const { messages } = await agent.invoke(new Command({ resume: 'yes' }), onThread);
    expect(answersIn(messages).map(({ text }) => text.split('\n')[0])).toEqual([
      'a says yes',
      'sent to b',
      'status: unknown_tool',
    ]);
    expect(done).toEqual(['b']);
  });
});
