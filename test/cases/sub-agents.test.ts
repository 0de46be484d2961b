/** Graphs inside tools and nodes: each goes on from its own checkpoints, and repeats nothing. */
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import {
  Command,
  END,
  interrupt,
  type MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentKinds } from '../support/agents.js';
import { caseTools } from '../support/case-tools.js';
import { DyingSaver } from '../support/dying-saver.js';
import { never, until } from '../support/gate.js';
import { answerTo, asked, failureIn, lastOf, onThread, scene } from '../support/scene.js';
import { asks, asksFor, type Saying, ScriptedModel, says } from '../support/scripted-model.js';
import type { World } from '../support/world.js';

/**
 * A tool that runs an agent of its own: it looks, then confirms what it found.
 *
 * @param confirms what comes of it: a person's answer, an error, nothing yet
 */
function subAgent(
  name: 'helper' | 'research',
  world: World,
  confirms: (topic: string) => unknown,
): StructuredToolInterface {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode('look', ({ messages }) => {
      const topic = messages[0]?.text ?? '';
      world.act('look', { topic });
      return { messages: [new AIMessage(`found ${topic}`)] };
    })
    .addNode('confirm', async ({ messages }) => {
      const topic = messages[0]?.text ?? '';
      return { messages: [new AIMessage(`${String(await confirms(topic))} to ${topic}`)] };
    })
    .addEdge(START, 'look')
    .addEdge('look', 'confirm')
    .addEdge('confirm', END)
    .compile();
  return tool(
    async ({ what }) => {
      const { messages } = await inner.invoke({ messages: [new HumanMessage(what)] });
      return messages.map(({ text }) => text).join(', ');
    },
    { name, description: 'Find out.', schema: z.object({ what: z.string() }) },
  );
}

const both = (name: string) =>
  asks('m1', { name, args: { what: 'A' }, id: 'c1' }, { name, args: { what: 'B' }, id: 'c2' });

describe.each(agentKinds)('LG-24: $name resumed, with two sub-agents', (kind) => {
  it.each(['helper', 'research'] as const)(
    'of which %s B asked a person: it goes on from its own checkpoints, its neighbor is answered',
    async (name) => {
      const { world, process } = scene();
      const confirms = (topic: string) => (topic === 'A' ? 'yes' : interrupt(`${topic}?`));
      const { guard, agent } = process(kind, [both(name), says('Done.')], {
        tools: [subAgent(name, world, confirms)],
      });
      await agent.invoke(asked('A and B.'), onThread);
      const { output, report } = await guard.run(agent, new Command({ resume: 'no' }), onThread);
      expect(answerTo('c1', output).text).toBe('A, found A, yes to A');
      expect(answerTo('c2', output).text).toBe('B, found B, no to B');
      expect(world.deeds.map(({ args }) => args.topic)).toEqual(['A', 'B']);
      expect(report.status).toBe('complete');
    },
  );

  it('of which B was killed: it goes on from its own checkpoints, in another process', async () => {
    const { world, clock, process } = scene();
    let killed = false;
    const dies = (topic: string): unknown => {
      if (topic === 'A') return 'yes';
      killed = true;
      return never;
    };
    const a = process(kind, [both('helper')], { tools: [subAgent('helper', world, dies)] });
    void a.agent.invoke(asked('A and B.'), { ...onThread, durability: 'sync' });
    await until(() => killed && a.guard.counts().call_finished > 0);
    clock.pass(120_000);

    const b = process(kind, [says('Done.')], {
      tools: [subAgent('helper', world, () => 'at last')],
    });
    const { output, report } = await b.guard.resume(b.agent, onThread);
    expect(answerTo('c2', output).text).toBe('B, found B, at last to B');
    expect(answerTo('c1', output).text).not.toContain('B');
    // What each had looked for it does not look for again.
    expect(world.deeds.map(({ args }) => args.topic)).toEqual(['A', 'B']);
    expect(report.status).toBe('complete');
  });

  it('of which B failed: its neighbor keeps its answer, and B begins anew when it is asked again', async () => {
    const { world, process } = scene();
    let tries = 0;
    const confirms = (topic: string): string => {
      if (topic === 'B' && ++tries === 1) throw new Error('it broke');
      return 'yes';
    };
    const { guard, agent } = process(
      kind,
      [both('helper'), asksFor('helper', { what: 'B' }, 'c3'), says('Done.')],
      { tools: [subAgent('helper', world, confirms)] },
    );
    const { output } = await guard.run(agent, asked('A and B.'), onThread);
    expect(answerTo('c1', output).text).toBe('A, found A, yes to A');
    expect(failureIn(answerTo('c2', output))).toBe('dependency_failed');
    expect(answerTo('c3', output).text).toBe('B, found B, yes to B');
  });
});

describe.each(agentKinds)('LG-22: $name inside of a node, paused after an effect', (kind) => {
  /** A process with a graph whose one node calls an agent by its function. */
  const processOf = (
    { world, guard: make }: ReturnType<typeof scene>,
    saver: MemorySaver,
    sayings: readonly Saying[],
  ) => {
    const guard = make();
    const model = new ScriptedModel(sayings);
    const agent = kind.make({ guard, model, tools: caseTools(world) });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => {
        const output = await agent.invoke({ messages });
        return { messages: output.messages.slice(messages.length) };
      })
      .addEdge(START, 'agent')
      .compile({ checkpointer: guard.checkpointer(saver) });
    return { guard, graph, model };
  };
  const inside = [
    asksFor('notify', { who: 'ann' }, 'c1'),
    asksFor('approve', { what: 'go on' }, 'c2'),
    says('All done.'),
  ];

  it.each(['called by its function', 'as the node itself'])(
    '%s: a resume goes on, and repeats nothing',
    async (way) => {
      const { world, saver, guard: make } = scene();
      const guard = make();
      const agent = kind.make({ guard, model: new ScriptedModel(inside), tools: caseTools(world) });
      const call = async ({ messages }: typeof MessagesAnnotation.State) => {
        const output = await agent.invoke({ messages });
        return { messages: output.messages.slice(messages.length) };
      };
      const parent = new StateGraph(MessagesAnnotation)
        .addNode('agent', (way === 'as the node itself' ? agent : call) as typeof call)
        .addEdge(START, 'agent')
        .compile({ checkpointer: guard.checkpointer(saver) });
      const paused = await guard.run(parent, asked('Do it.'), onThread);
      expect(paused.interrupts).toMatchObject([{ value: { question: 'May I go on?' } }]);
      expect(world.deeds.map(({ tool: name }) => name)).toEqual(['notify']);

      const done = await guard.run(parent, new Command({ resume: 'yes' }), onThread);
      expect(world.deeds.map(({ tool: name }) => name)).toEqual(['notify', 'approve']);
      expect(done.report.status).toBe('complete');
      expect(answerTo('c1', done.output).text).toBe('{"receipt":1}');
      expect(answerTo('c2', done.output).text).toBe('approved: yes');
      expect(lastOf(done.output)).toBe('All done.');
    },
  );

  it('killed, and begun again from its entry because its checkpoints were lost: it repeats nothing', async () => {
    const set = scene();
    const { world, saver, clock } = set;
    const slot = (id: string) => asksFor('set_slot', { orderId: 'o1', slot: 'A' }, id);
    const dying = new DyingSaver(saver);
    const loses = (): AIMessage => {
      dying.die('put', 'putWrites');
      return slot('c1');
    };
    const a = processOf(set, dying, [loses, () => never]);
    void a.guard.run(a.graph, asked('Move it.'), { ...onThread, durability: 'async' });
    await until(() => a.model.told.length === 2);
    clock.pass(120_000);

    const b = processOf(set, saver, [slot('fresh'), says('Moved.')]);
    const { output, report } = await b.guard.resume(b.graph, onThread);
    // From its entry: its conversation knows nothing of what was done.
    const heard = b.model.told[0]?.map((message) => message.getType());
    expect(new Set(heard)).toEqual(new Set(['human']));
    expect(answerTo('fresh', output).text).toContain('It was not done again.');
    expect(world.count('set_slot')).toBe(1);
    expect(report.status).toBe('complete');
  });

  it('in another process too', async () => {
    const set = scene();
    const { world, saver } = set;
    await processOf(set, saver, inside.slice(0, 2)).graph.invoke(asked('Do it.'), onThread);
    const { guard, graph } = processOf(set, saver, inside.slice(2));
    const done = await guard.run(graph, new Command({ resume: 'yes' }), onThread);
    expect(world.deeds.map(({ tool: name }) => name)).toEqual(['notify', 'approve']);
    expect(lastOf(done.output)).toBe('All done.');
    expect(done.report.status).toBe('complete');
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
