/** What a tool throws or returns to steer the graph is no failure. */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Command,
  END,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentKinds } from '../support/agents.js';
import { answerTo, asked, checkpointBefore, lastOf, onThread, scene } from '../support/scene.js';
import { asks, asksFor, says } from '../support/scripted-model.js';

const byName = { description: 'Hand over.', schema: z.object({ to: z.string() }) };

describe.each(agentKinds)('$name', (kind) => {
  // A flow of tasks has no nodes to go to: what a tool returns is its own to read.
  const steers = it.skipIf(kind.modelNode === undefined);

  steers(
    'LG-28: a parent command thrown inside a tool hands over, now and on a replay',
    async () => {
      const { world, rows, guard: make, process } = scene();
      const guard = make();
      const inner = new StateGraph(MessagesAnnotation)
        .addNode('leave', () => {
          world.act('hand_over');
          const answer = new ToolMessage({ content: 'handed over', tool_call_id: 'c1' });
          const update = { messages: [answer] };
          return new Command({ graph: Command.PARENT, goto: kind.modelNode ?? END, update });
        })
        .addEdge(START, 'leave')
        .compile();
      const handOver = tool(async () => inner.invoke({ messages: [] }), {
        name: 'hand_over',
        ...byName,
      });
      const { agent } = process(
        kind,
        [asksFor('hand_over', { to: 'sales' }, 'c1'), says('Sales here.'), says('Sales again.')],
        { guard, tools: [handOver] },
      );
      const { output, report } = await guard.run(agent, asked('Sell.'), onThread);
      expect(answerTo('c1', output).text).toBe('handed over');
      expect(lastOf(output)).toBe('Sales here.');
      expect(report.status).toBe('complete');
      expect((await rows()).map(({ state }) => state)).toEqual(['succeeded']);

      const replay = await agent.invoke(null, await checkpointBefore('tools', agent));
      expect(answerTo('c1', replay).text).toBe('handed over');
      expect(lastOf(replay)).toBe('Sales again.');
      expect(world.count('hand_over')).toBe(1);
    },
  );

  steers('LG-28: a command for the parent graph reaches its node, with its update', async () => {
    const { world, rows, guard: make, process } = scene();
    const guard = make();
    const handOver = tool(
      async ({ to }, runtime) => {
        world.act('hand_over', { to });
        return new Command({
          graph: Command.PARENT,
          goto: 'other',
          update: {
            messages: [
              new ToolMessage({ content: `to ${to}`, tool_call_id: runtime.toolCall?.id ?? 'c1' }),
            ],
          },
        });
      },
      { name: 'hand_over', ...byName },
    );
    const { agent } = process(kind, [asksFor('hand_over', { to: 'sales' }, 'c1')], {
      guard,
      tools: [handOver],
    });
    const parent = parentOf(agent);
    const { output, report } = await guard.run(parent, asked('Sell.'), onThread);
    expect(lastOf(output)).toBe('sales speaking');
    expect(answerTo('c1', output).text).toBe('to sales');
    expect(world.count('hand_over')).toBe(1);
    expect(report.status).toBe('complete');
    expect((await rows()).map(({ state }) => state)).toEqual(['succeeded']);
  });

  steers('LG-28: two parallel hand-overs with sends both arrive', async () => {
    const { guard: make, events, process } = scene();
    const guard = make();
    const handOver = tool(
      async ({ to }) =>
        new Command({
          graph: Command.PARENT,
          goto: [new Send('other', { messages: [new AIMessage(`for ${to}`)] })],
        }),
      { name: 'hand_over', ...byName },
    );
    const { agent } = process(
      kind,
      [
        asks(
          'm1',
          { name: 'hand_over', args: { to: 'sales' }, id: 'c1' },
          { name: 'hand_over', args: { to: 'support' }, id: 'c2' },
        ),
      ],
      { guard, tools: [handOver] },
    );
    const heard: string[] = [];
    const parent = parentOf(agent, heard);
    await guard.run(parent, asked('Both.'), onThread);
    // Of several tasks that leave for the parent graph LangGraph lets one go; what one task returns is merged.
    expect(heard).toHaveLength(kind.tasks === 'one per call' ? 1 : 2);
    expect(new Set(heard).size).toBe(heard.length);
    // Which is said.
    const lost = events.of('warning').filter(({ code }) => code === 'hand_over_lost');
    expect(lost).toHaveLength(kind.tasks === 'one per call' ? 1 : 0);
  });

  it('a failing call does not lose its siblings', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(
      kind,
      [
        asks(
          'm1',
          { name: 'notify', args: { who: 'ann' }, id: 'c1' },
          { name: 'charge', args: { orderId: 'o1', amount: 5 }, id: 'c2' },
          { name: 'notify', args: { who: 'bob' }, id: 'c3' },
        ),
        says('Partly.'),
      ],
      {
        afterwards: {
          charge: () => {
            throw new Error('it broke');
          },
        },
      },
    );
    const { output, report } = await guard.run(agent, asked('All three.'), onThread);
    expect(['c1', 'c2', 'c3'].map((id) => answerTo(id, output).status)).toEqual([
      'success',
      'error',
      'success',
    ]);
    expect(world.count('notify')).toBe(2);
    expect(report.status).toBe('partial');
    expect(report.done).toHaveLength(2);
  });
});

function parentOf(agent: object, heard: string[] = []) {
  return new StateGraph(MessagesAnnotation)
    .addNode('team', agent as never, { ends: ['other'] })
    .addNode('other', ({ messages }) => {
      heard.push(messages.at(-1)?.text ?? '');
      return { messages: [new AIMessage('sales speaking')] };
    })
    .addEdge(START, 'team')
    .addEdge('other', END)
    .compile({ checkpointer: new MemorySaver() });
}
