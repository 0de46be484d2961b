/**
 * Pins the installed LangGraph: every field of its own that the adapter reads is where it is read, in an
 * agent of LangChain and in a graph of one's own.
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import {
  Command,
  END,
  entrypoint,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  RunControl,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { createAgent, createMiddleware } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asksFor, ScriptedModel, says, toolCall } from './adapter.fixture.js';
import { messagesIn, messagesOf } from './graph-messages.js';
import {
  callIdOf,
  configured,
  currentConfig,
  isInToolNode,
  isProtocolStream,
  positionOf,
} from './pregel-config.js';
import {
  ofCall,
  pauseAt,
  remember,
  type Said,
  saidTo,
  storedPauses,
  takeNow,
} from './scratchpad.js';

interface Seen {
  readonly config: RunnableConfig;
  /** What `getConfig` gives around the tool: all that a middleware can see. */
  readonly current: RunnableConfig | undefined;
}

function spyTool(seen: Seen[]) {
  return tool(
    async (_, config) => {
      seen.push({ config, current: currentConfig() });
      return 'seen';
    },
    { name: 'look_up', description: 'Look.', schema: z.object({ id: z.string() }) },
  );
}

const script = () => new ScriptedModel([asksFor('look_up', { id: 'a' }, 'c1'), says('Done.')]);
const kinds = [
  {
    name: 'createAgent',
    withTool: (one: StructuredToolInterface, model: ScriptedModel, saver: MemorySaver) =>
      createAgent({ model, tools: [one], checkpointer: saver }).graph,
  },
  {
    name: 'StateGraph with ToolNode',
    withTool(one: StructuredToolInterface, model: ScriptedModel, saver: MemorySaver) {
      return new StateGraph(MessagesAnnotation)
        .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
        .addNode('tools', new ToolNode([one]))
        .addEdge(START, 'agent')
        .addConditionalEdges('agent', toolsCondition, ['tools', END])
        .addEdge('tools', 'agent')
        .compile({ checkpointer: saver });
    },
  },
];

describe.each(kinds)('$name', ({ name, withTool }) => {
  async function look(more: object = {}) {
    const seen: Seen[] = [];
    const saver = new MemorySaver();
    const graph = withTool(spyTool(seen), script(), saver);
    const config = { configurable: { thread_id: 'T1', own: 'mine' }, ...more };
    await graph.invoke({ messages: [new HumanMessage({ id: 'h1', content: 'Hi.' })] }, config);
    const [first] = seen;
    if (first === undefined) throw new Error('the tool did not run');
    return { ...first, saver };
  }

  it('gives thread, task, namespace, step, saver and the checkpoint of the AI message', async () => {
    const { config, saver } = await look();
    const position = positionOf(config);
    expect(position).toMatchObject({
      threadId: 'T1',
      taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      step: 2,
      durability: 'async',
      checkpoint: { threadId: 'T1', ns: '', id: expect.any(String) },
    });
    expect(position.checkpointNs).toBe(`tools:${position.taskId}`);
    expect(position.saver).toBe(saver);
    const configurable = {
      thread_id: 'T1',
      checkpoint_ns: '',
      checkpoint_id: position.checkpoint?.id,
    };
    const tuple = await saver.getTuple({ configurable });
    const messages = messagesIn(tuple?.checkpoint.channel_values);
    expect(messages?.at(-1)?.id).toBe('message of c1');
  });

  it('has the same in the private fields that stand in for the public ones', async () => {
    const { config } = await look();
    const { configurable } = config;
    const position = positionOf(config);
    expect(Object.keys(Reflect.get(config, 'executionInfo'))).toEqual(
      expect.arrayContaining(['checkpointId', 'checkpointNs', 'taskId', 'threadId']),
    );
    expect(configurable?.__pregel_task_id).toBe(position.taskId);
    expect(configurable?.checkpoint_ns).toBe(position.checkpointNs);
    expect(configurable?.checkpoint_map).toMatchObject({ '': position.checkpoint?.id });
    const { executionInfo: _, ...without } = config as RunnableConfig & { executionInfo: unknown };
    expect(positionOf(without)).toEqual(position);
  });

  it('gives code inside a tool the same by getConfig, but for the control', async () => {
    const { config, current } = await look();
    const { invocation: _, durability: __, ...position } = positionOf(config);
    expect(positionOf(current)).toMatchObject(position);
    expect(positionOf(current).invocation).toBeUndefined();
  });

  it.each(['sync', 'async', 'exit'] as const)('tells durability %s', async (durability) => {
    const { config } = await look({ durability });
    expect(positionOf(config).durability).toBe(durability);
  });

  it('gives the messages of the task, the call id and what the caller configured', async () => {
    const { config } = await look();
    expect(messagesOf(config)?.map(({ id }) => id)).toEqual(['h1', 'message of c1']);
    const scratchpad: { currentTaskInput?: unknown } = config.configurable?.__pregel_scratchpad;
    expect(messagesIn(scratchpad.currentTaskInput)?.map(({ id }) => id)).toEqual([
      'h1',
      'message of c1',
    ]);
    expect(callIdOf(config)).toBe('c1');
    expect(configured(config, 'own')).toBe('mine');
    expect(configured(config, 'other')).toBeUndefined();
  });

  it('has one control per invocation, the caller`s where there is one', async () => {
    const [first, second] = [await look(), await look()];
    const invocation = positionOf(first.config).invocation;
    expect(invocation).toBeInstanceOf(RunControl);
    expect(positionOf(second.config).invocation).not.toBe(invocation);
    const control = new RunControl();
    expect(positionOf((await look({ control })).config).invocation).toBe(control);
  });

  it('tells a task that was sent by its index', async () => {
    const { sendIndex } = positionOf((await look()).config);
    expect(sendIndex).toBe(name === 'createAgent' ? 0 : undefined);
  });

  it('does not take other streams for one of events v3', async () => {
    const flags: boolean[] = [];
    for (const streamMode of ['values', 'tools'] as const) {
      const seen: Seen[] = [];
      const graph = withTool(spyTool(seen), script(), new MemorySaver());
      const config = { configurable: { thread_id: 'T1' }, streamMode };
      for await (const chunk of await graph.stream({ messages: [new HumanMessage('Hi.')] }, config))
        void chunk;
      flags.push(isProtocolStream(seen[0]?.config));
    }
    expect(flags).toEqual([false, false]);
  });
});

it('a stream of events v3 is known by its callbacks', async () => {
  const seen: Seen[] = [];
  const agent = createAgent({ model: script(), tools: [spyTool(seen)] });
  for await (const event of await agent.streamEvents({ messages: 'Hi.' }, { version: 'v3' })) {
    void event;
  }
  expect(isProtocolStream(seen[0]?.config)).toBe(true);
});

it('the tasks of one invocation share its control, the model node included', async () => {
  const controls = new Set<unknown>();
  const tasks = new Set<unknown>();
  const model = new ScriptedModel([
    asksFor('look_up', { id: 'a' }, 'c1'),
    asksFor('look_up', { id: 'b' }, 'c2'),
    says('Done.'),
  ]);
  const note = createMiddleware({
    name: 'Note',
    wrapModelCall(request, handler) {
      controls.add(positionOf(currentConfig()).invocation);
      return handler(request);
    },
    wrapToolCall(request, handler) {
      const { invocation, taskId } = positionOf(currentConfig());
      controls.add(invocation);
      tasks.add(taskId);
      return handler(request);
    },
  });
  const agent = createAgent({ model, tools: [spyTool([])], middleware: [note] });
  await agent.invoke({ messages: 'Hi.' });
  expect(tasks.size).toBe(2);
  expect(controls.size).toBe(1);
  expect([...controls][0]).toBeInstanceOf(RunControl);
});

it('a task of the functional API runs under the checkpoint of its flow', async () => {
  const saver = new MemorySaver();
  const positions: ReturnType<typeof positionOf>[] = [];
  const step = task('step', async () => {
    positions.push(positionOf(currentConfig()));
  });
  const flow = entrypoint({ name: 'flow', checkpointer: saver }, async () => {
    positions.push(positionOf(currentConfig()));
    await step();
  });
  await flow.invoke('in', { configurable: { thread_id: 'T1' } });
  const [inFlow, inTask] = positions;
  expect(inTask?.checkpointNs).toBe(`${inFlow?.checkpointNs}|step:${inTask?.taskId}`);
  expect(inTask?.checkpoint).toEqual(inFlow?.checkpoint);
  expect(inTask?.checkpoint?.ns).toBe('');
  const configurable = {
    thread_id: 'T1',
    checkpoint_ns: '',
    checkpoint_id: inTask?.checkpoint?.id,
  };
  expect(await saver.getTuple({ configurable })).toBeDefined();
});

it('a sub-graph`s task runs under the checkpoint of the sub-graph', async () => {
  const saver = new MemorySaver();
  const positions: ReturnType<typeof positionOf>[] = [];
  const inner = new StateGraph(MessagesAnnotation)
    .addNode('leaf', async () => {
      positions.push(positionOf(currentConfig()));
      return {};
    })
    .addEdge(START, 'leaf')
    .compile();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('inner', inner)
    .addEdge(START, 'inner')
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [] }, { configurable: { thread_id: 'T1' } });
  const checkpoint = positions[0]?.checkpoint;
  expect(checkpoint?.ns).toMatch(/^inner:[0-9a-f-]{36}$/);
  const configurable = {
    thread_id: 'T1',
    checkpoint_ns: checkpoint?.ns,
    checkpoint_id: checkpoint?.id,
  };
  expect(await saver.getTuple({ configurable })).toBeDefined();
});

describe('several calls of one task', () => {
  /** The namespaces in which the graphs that two tools invoke ran, in the order of the calls. */
  async function namespaces(kind: (typeof kinds)[number], own: boolean): Promise<unknown[]> {
    const found = new Map<unknown, unknown>();
    const inner = new StateGraph(MessagesAnnotation)
      .addNode('leaf', ({ messages }) => {
        found.set(messages[0]?.text, positionOf(currentConfig()).checkpoint?.ns);
        return {};
      })
      .addEdge(START, 'leaf')
      .compile();
    const subAgent = tool(
      async ({ id }, config: RunnableConfig) => {
        // The first call is the last to invoke its graph.
        if (id === 'a') await endOfTurn();
        const position = id === 'a' ? 0 : 1;
        await inner.invoke({ messages: [id] }, own ? ofCall(config, position) : config);
        return id;
      },
      { name: 'look_up', description: 'Look.', schema: z.object({ id: z.string() }) },
    );
    const calls = [toolCall('look_up', { id: 'a' }, 'c1'), toolCall('look_up', { id: 'b' }, 'c2')];
    const model = new ScriptedModel([
      new AIMessage({ content: '', tool_calls: calls }),
      says('Done.'),
    ]);
    const graph = kind.withTool(subAgent, model, new MemorySaver());
    await graph.invoke({ messages: 'Hi.' }, { configurable: { thread_id: 'T1' } });
    return [found.get('a'), found.get('b')];
  }
  const inTask = (suffix = '') =>
    expect.stringMatching(new RegExp(`^tools:[0-9a-f-]{36}${suffix}$`));
  const [agent, graph] = kinds;

  it('are numbered by LangGraph as they come, and with their own count by their place', async () => {
    if (graph === undefined) throw new Error('no such kind');
    expect(await namespaces(graph, false)).toEqual([inTask('\\|1'), inTask()]);
    expect(await namespaces(graph, true)).toEqual([inTask(), inTask('\\|1000')]);
  });

  it('that have a task each keep its namespace', async () => {
    if (agent === undefined) throw new Error('no such kind');
    expect(await namespaces(agent, true)).toEqual([inTask(), inTask()]);
  });

  it('share everything else of their task', () => {
    const scratchpad = { subgraphCounter: 0, interruptCounter: -1, resume: ['yes'] };
    const config = { configurable: { __pregel_scratchpad: scratchpad } };
    const own = ofCall(config, 2)?.configurable?.__pregel_scratchpad;
    own.interruptCounter += 1;
    own.subgraphCounter += 1;
    expect(own).toMatchObject({ interruptCounter: 0, resume: ['yes'], subgraphCounter: 2001 });
    expect(scratchpad).toEqual({ subgraphCounter: 0, interruptCounter: 0, resume: ['yes'] });
    expect(ofCall(undefined, 1)).toBeUndefined();
  });
});

describe("a task's pauses", () => {
  /** A node that does something in its task, twice if it is resumed. */
  function graphOf(work: (config: RunnableConfig) => unknown) {
    const saver = new MemorySaver();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('work', async (_, config) => {
        await work(config);
        return {};
      })
      .addEdge(START, 'work')
      .compile({ checkpointer: saver });
    const thread = { configurable: { thread_id: 'T1' } };
    return {
      begin: () => graph.invoke({ messages: [] }, thread),
      resume: (value: unknown) => graph.invoke(new Command({ resume: value }), thread),
      waiting: async () =>
        (await graph.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts),
    };
  }

  it('have the id that LangGraph gives them, after however many answers', async () => {
    const ids: unknown[] = [];
    const { begin, resume, waiting } = graphOf((config) => {
      for (const answered of [0, 1, 2]) {
        ids.push(pauseAt(config, 'which?', answered)?.interrupts[0]?.id);
      }
      interrupt('one');
      interrupt('two');
    });
    await begin();
    expect((await waiting()).map(({ id }) => id)).toEqual([ids[0]]);
    await resume('first');
    expect((await waiting()).map(({ id }) => id)).toEqual([ids[1]]);
    expect(new Set(ids).size).toBe(3);
    expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  });

  it('lie beside the checkpoint that the task was made from', async () => {
    const stored: unknown[] = [];
    const { begin, resume } = graphOf(async (config) => {
      stored.push(await storedPauses(config));
      interrupt({ question: 'which?' });
    });
    await begin();
    await resume('this');
    expect(stored).toEqual([
      [],
      [{ id: expect.stringMatching(/^[0-9a-f]{32}$/), value: { question: 'which?' } }],
    ]);
  });

  it('are answered by what was said now, or by id', async () => {
    const said: unknown[] = [];
    const { begin, resume, waiting } = graphOf((config) => {
      said.push(saidTo(config));
      if (saidTo(config).now !== undefined) takeNow(config);
      interrupt('which?');
    });
    await begin();
    await resume('this');
    const [pause] = await waiting();
    if (pause?.id === undefined) throw new Error('it does not wait');
    await resume({ [pause.id]: 'that' });
    expect(said).toEqual([
      { before: [] },
      { before: [], now: { value: 'this' } },
      // What was said last without an id stays beside the checkpoint, and is handed out again.
      { before: ['that'], now: { value: 'this' } },
    ]);
    expect(await waiting()).toEqual([]);
  });

  it('remember what was said if the task pauses again', async () => {
    const said: unknown[] = [];
    const { begin, resume, waiting } = graphOf((config) => {
      const { before, now } = saidTo(config);
      said.push(before);
      if (now !== undefined) takeNow(config);
      const all = now === undefined ? before : [...before, { kept: now.value }];
      remember(config, all, true);
      throw pauseAt(config, 'more?', all.length);
    });
    await begin();
    await resume('a');
    await resume('b');
    await resume('c');
    expect(said).toEqual([[], [], [{ kept: 'a' }], [{ kept: 'a' }, { kept: 'b' }]]);
    expect(await waiting()).toHaveLength(1);
  });

  it('of a call with a scope of its own are not the task’s', async () => {
    const answers: unknown[] = [];
    const inScope = (config: RunnableConfig, said: Said): unknown => {
      const own = ofCall(config, 0, said);
      return AsyncLocalStorageProviderSingleton.runWithConfig(own, () => {
        try {
          return [interrupt('one'), interrupt('two')];
        } catch (pause) {
          return pause;
        }
      });
    };
    const { begin, waiting } = graphOf((config) => {
      answers.push(inScope(config, { before: ['a', 'b'] }));
      answers.push(inScope(config, { before: ['a'], now: { value: 'c' } }));
      answers.push(inScope(config, { before: ['a'] }));
      answers.push(saidTo(config));
      interrupt('of the task');
    });
    await begin();
    expect(answers).toEqual([
      ['a', 'b'],
      ['a', 'c'],
      expect.objectContaining({ interrupts: [expect.objectContaining({ value: 'two' })] }),
      { before: [] },
    ]);
    // Nothing that was said in a scope was written down with the task.
    expect((await waiting()).map(({ value }) => value)).toEqual(['of the task']);
  });

  it('cannot be where nothing keeps checkpoints', () => {
    expect(pauseAt(undefined, 'which?', 0)).toBeUndefined();
    expect(pauseAt({ configurable: {} }, 'which?', 0)).toBeUndefined();
    expect(saidTo(undefined)).toEqual({ before: [] });
  });

  it.each(kinds)('$name: a tool knows that it is in a tool node', async ({ withTool }) => {
    const seen: Seen[] = [];
    const graph = withTool(spyTool(seen), script(), new MemorySaver());
    await graph.invoke({ messages: 'Hi.' }, { configurable: { thread_id: 'T1' } });
    expect(seen.map(({ config }) => isInToolNode(config))).toEqual([true]);
    expect(isInToolNode(seen[0]?.current)).toBe(false);
  });
});

describe('outside of a graph', () => {
  it('there is no config and no position', () => {
    expect(currentConfig()).toBeUndefined();
    expect(positionOf(undefined)).toEqual({ durability: 'async', around: [] });
    expect(messagesOf(undefined)).toBeUndefined();
    expect(callIdOf(undefined)).toBeUndefined();
  });

  it('states of another kind have no messages', () => {
    expect(messagesIn(undefined)).toBeUndefined();
    expect(messagesIn({ messages: 'text' })).toBeUndefined();
    expect(messagesIn({ messages: [{ role: 'user' }] })).toBeUndefined();
    expect(messagesIn([])).toEqual([]);
  });
});
