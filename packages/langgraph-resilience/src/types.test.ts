/** What the public functions infer, as the design's examples use them. Checked by the compiler. */
import type { RunReport } from '@holdfast/call-guard';
import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  END,
  entrypoint,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  type Send,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';
import type { ToolNode } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { desk, mailTool, ScriptedModel, says } from './adapter.fixture.js';
import { guardMiddleware } from './middleware/index.js';

const onThread = { configurable: { thread_id: 'T1' } };

describe('types', () => {
  it('guarded tools keep theirs, one by one', () => {
    const { guard } = desk();
    const lookUp = tool(async ({ id }) => id, {
      name: 'look_up',
      description: 'Look.',
      schema: z.object({ id: z.string() }),
    });
    const mail = mailTool([]);
    const [first, second] = guard.tools([lookUp, mail]);
    expectTypeOf(first).toEqualTypeOf<typeof lookUp>();
    expectTypeOf(second).toEqualTypeOf<typeof mail>();
    expect([first.name, second.name]).toEqual(['look_up', 'send_mail']);
  });

  it('a saver keeps its own', () => {
    const { guard } = desk();
    expectTypeOf(guard.checkpointer(new MemorySaver())).toEqualTypeOf<MemorySaver>();
  });

  it('a model keeps its own, a tool node is LangGraph`s, a node keeps its state and update', () => {
    const { guard } = desk();
    const model = new ScriptedModel([says('Hello.')]);
    expectTypeOf(guard.model(model)).toEqualTypeOf<ScriptedModel>();
    expectTypeOf(guard.toolNode([mailTool([])])).toEqualTypeOf<ToolNode>();
    const route = guard.route('tools');
    expectTypeOf<ReturnType<typeof route>>().toEqualTypeOf<Send[] | '__end__'>();
    const other = guard.route('tools', 'review');
    expectTypeOf<ReturnType<typeof other>>().toEqualTypeOf<Send[] | 'review'>();
    const node = guard.modelNode(
      async (state: typeof MessagesAnnotation.State, config: LangGraphRunnableConfig) => ({
        messages: [await model.invoke(state.messages, config)],
      }),
    );
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', node)
      .addNode('tools', guard.toolNode([mailTool([])]))
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', route, ['tools', END])
      .addEdge('tools', 'agent')
      .compile();
    expect(Object.keys(graph.nodes)).toEqual(['__start__', 'agent', 'tools']);
  });

  it('a run gives the graph`s output, certainly only when it is complete', async () => {
    const { guard } = desk();
    const agent = createAgent({
      model: new ScriptedModel([says('Hello.')]),
      tools: [],
      middleware: [guardMiddleware(guard)],
      checkpointer: guard.checkpointer(new MemorySaver()),
    });
    const run = await guard.run(agent, { messages: [{ role: 'user', content: 'hi' }] }, onThread);
    expectTypeOf(run.report).toExtend<RunReport>();
    expectTypeOf(run.output).toEqualTypeOf<Awaited<ReturnType<typeof agent.invoke>> | undefined>();
    expectTypeOf(run.report.done).toExtend<readonly { readonly tool: string }[]>();
    expect(run.output?.messages.at(-1)?.text).toBe('Hello.');
    const resumed = await guard.resume(agent, onThread);
    expectTypeOf(resumed).toEqualTypeOf<typeof run>();
  });

  it('a graph of one`s own and the functional API infer theirs', async () => {
    const { guard } = desk();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async () => ({ messages: [says('Hello.')] }))
      .addEdge(START, 'agent')
      .compile({ checkpointer: guard.checkpointer(new MemorySaver()) });
    const { output } = await guard.run(graph, { messages: 'hi' }, onThread);
    expectTypeOf(output?.messages.length).toEqualTypeOf<number | undefined>();

    const step = task('step', async (text: string) => text.length);
    const flow = entrypoint('flow', async (text: string) => step(text));
    const flown = await guard.run(flow, 'abc', {});
    expectTypeOf(flown.output).toEqualTypeOf<number | undefined>();
    expect(flown.output).toBe(3);
  });

  it('a wrong input of a graph is refused by the compiler', () => {
    const { guard } = desk();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async () => ({}))
      .addEdge(START, 'agent')
      .compile();
    // @ts-expect-error there is no such channel
    const wrong = () => guard.run(graph, { message: 'hi' }, {});
    expect(wrong).toBeTypeOf('function');
  });

  it('a stream is read as it is, and its result has the report', async () => {
    const { guard } = desk();
    const agent = createAgent({ model: new ScriptedModel([says('Hello.')]), tools: [] });
    const stream = guard.stream(agent, { messages: [new HumanMessage('hi')] }, {});
    expectTypeOf(stream).toExtend<AsyncIterable<unknown>>();
    for await (const chunk of stream) void chunk;
    expectTypeOf((await stream.result).report).toExtend<RunReport>();
  });

  it('a tool made from its entry has the entry`s types', async () => {
    const { guard } = desk();
    const lookUp = guard.implement('look_up', async (args, call) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string }>();
      expectTypeOf(call.attempt).toBeNumber();
      return { id: args.id, found: true };
    });
    expectTypeOf(lookUp.name).toEqualTypeOf<'look_up'>();
    createAgent({ model: new ScriptedModel([]), tools: [lookUp] });
    // @ts-expect-error the result must be what the entry says
    guard.implement('look_up', async () => ({ id: 1 }));
    // @ts-expect-error there is no such entry
    expect(() => guard.implement('look_upp', async () => 1)).toThrow();

    const answer = await guard.call(
      { tool: 'look_up', args: { id: 'x' }, callId: 'c1' },
      async ({ id }) => ({ id, found: false }),
    );
    if (answer.ok) expectTypeOf(answer.result.found).toBeBoolean();
    else if (answer.failure.kind === 'unknown_tool') {
      expectTypeOf(answer.failure.details.nearest).toExtend<readonly string[]>();
    }
    expect(answer.ok).toBe(true);
  });
});
