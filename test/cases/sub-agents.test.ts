/** Graphs inside tools and nodes: each goes on from its own checkpoints, and repeats nothing. */
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import {
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentKinds } from '../support/agents.js';
import { answerTo, asked, onThread, scene } from '../support/scene.js';
import { asks, says } from '../support/scripted-model.js';
import type { World } from '../support/world.js';

/** A tool that runs an agent of its own: it looks, then asks a person where it is told to. */
function subAgent(world: World, asksFor: readonly string[]): StructuredToolInterface {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode('look', ({ messages }) => {
      const topic = messages[0]?.text ?? '';
      world.act('look', { topic });
      return { messages: [new AIMessage(`found ${topic}`)] };
    })
    .addNode('confirm', ({ messages }) => {
      const topic = messages[0]?.text ?? '';
      if (!asksFor.includes(topic)) return {};
      return { messages: [new AIMessage(`${String(interrupt(`${topic}?`))} to ${topic}`)] };
    })
    .addEdge(START, 'look')
    .addEdge('look', 'confirm')
    .addEdge('confirm', END)
    .compile();
  return tool(
    async ({ topic }) => {
      const { messages } = await inner.invoke({ messages: [new HumanMessage(topic)] });
      return messages.map(({ text }) => text).join(', ');
    },
    { name: 'research', description: 'Find out.', schema: z.object({ topic: z.string() }) },
  );
}

describe.each(agentKinds)('$name', (kind) => {
  it('LG-24: a resumed sub-agent goes on from its own checkpoints, its neighbor answered', async () => {
    const { world, process } = scene();
    const { agent } = process(
      kind,
      [
        asks(
          'm1',
          { name: 'research', args: { topic: 'A' }, id: 'c1' },
          { name: 'research', args: { topic: 'B' }, id: 'c2' },
        ),
        says('Done.'),
      ],
      { tools: [subAgent(world, ['B'])] },
    );
    await agent.invoke(asked('A and B.'), onThread);
    const done = await agent.invoke(new Command({ resume: 'yes' }), onThread);
    expect(answerTo('c1', done).text).toBe('A, found A');
    expect(answerTo('c2', done).text).toBe('B, found B, yes to B');
    expect(world.deeds.map(({ args }) => args.topic)).toEqual(['A', 'B']);
  });
});

describe('LG-22: a sub-graph that is called again after a pause repeats no effect', () => {
  it.each([
    // LangGraph itself knows that it has ended.
    ['that keeps its checkpoints', {}, 1],
    ['that keeps none', { checkpointer: false as const }, 2],
  ])('%s', async (_, options, beginnings) => {
    const { world, saver, guard: make } = scene();
    const guard = make();
    const [pay] = guard.tools([
      tool(async (args: Record<string, unknown>) => ({ receipt: world.act('pay', args) }), {
        name: 'pay',
        description: 'Pay an invoice.',
        schema: z.object({ payee: z.string(), amount: z.number(), invoice: z.string() }),
      }),
    ]);
    let begun = 0;
    const inner = new StateGraph(MessagesAnnotation)
      .addNode('pay', async (__, config) => {
        begun += 1;
        const args = { payee: 'p1', amount: 5, invoice: 'i1' };
        const call = { type: 'tool_call' as const, name: 'pay', args, id: 'c1' };
        return { messages: [await pay.invoke(call, config)] };
      })
      .addEdge(START, 'pay')
      .compile(options);
    const parent = new StateGraph(MessagesAnnotation)
      .addNode('step', async ({ messages }) => {
        const { messages: paid } = await inner.invoke({ messages });
        return { messages: [...paid, new AIMessage(interrupt<string, string>('Good?'))] };
      })
      .addEdge(START, 'step')
      .compile({ checkpointer: guard.checkpointer(saver) });

    const paused = await guard.run(parent, asked('Pay it.'), onThread);
    expect(paused.report.status).toBe('interrupted');
    const done = await guard.run(parent, new Command({ resume: 'fine' }), onThread);
    expect(begun).toBe(beginnings);
    expect(world.count('pay')).toBe(1);
    expect(answerTo('c1', done.output).text).toContain('{"receipt":1}');
    expect(done.report.status).toBe('complete');
  });
});
