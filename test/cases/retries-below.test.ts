/** Other people's retries and time limits around a tool that must not be sent twice. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardedFetch } from '@holdfast/call-guard';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import type { RunnableConfig } from '@langchain/core/runnables';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { toolsCondition } from '@langchain/langgraph/prebuilt';
import { type AgentMiddleware, createAgent, toolRetryMiddleware } from 'langchain';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  agentKinds,
  agentWithMiddleware,
  graphWithToolNode,
  guardedGraph,
  type NodeTimeout,
} from '../support/agents.js';
import { caseTools } from '../support/case-tools.js';
import { gate, until } from '../support/gate.js';
import { answerTo, asked, failureIn, onThread, scene } from '../support/scene.js';
import { asks, asksFor, ScriptedModel, says } from '../support/scripted-model.js';

const args = { orderId: 'o1', amount: 5 };
const retryPolicy = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };
// Its type is declared with zod 3 and does not fit under exactOptionalPropertyTypes.
const retry = toolRetryMiddleware({ maxRetries: 3, initialDelayMs: 1 }) as AgentMiddleware;

const layers = [
  ...agentKinds
    .filter(({ takesNodeOptions }) => takesNodeOptions)
    .map((kind) => ({ kind, by: 'its node', around: { node: { retryPolicy } } })),
  { kind: agentWithMiddleware, by: 'a middleware around the guard', around: { outer: [retry] } },
  { kind: agentWithMiddleware, by: 'a middleware inside the guard', around: { inner: [retry] } },
];
describe.each(layers)('$kind.name, retried by $by', ({ kind, around }) => {
  it('DU-12: an irreversible tool is sent once', async () => {
    const { world, events, process } = scene();
    const { guard, agent } = process(kind, [asksFor('charge', args, 'c1'), says('Unknown.')], {
      ...around,
      afterwards: {
        charge: () => {
          throw Object.assign(new Error('no answer in time'), { name: 'TimeoutError' });
        },
      },
    });
    const { output, report } = await guard.run(agent, asked('Charge it.'), onThread);
    expect(world.count('charge')).toBe(1);
    expect(events.of('attempt_started')).toHaveLength(1);
    expect(answerTo('c1', output).artifact).toMatchObject({ effect: 'unknown' });
    expect(report.status).toBe('partial');
  });
});

/** A service on the loopback; what it does with a request the test says. */
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(agentKinds)('$name, its tools with requests of their own', (kind) => {
  it('DU-12: a client that tries three times sends an irreversible request once', async () => {
    const { events, process } = scene();
    let sent = 0;
    const url = await serve((request) => {
      sent += 1;
      request.socket.destroy();
    });
    const charge = tool(
      async (given) => {
        let lost: unknown;
        for (let tries = 0; tries < 3; tries += 1) {
          try {
            return await guardedFetch(url, { method: 'POST', body: JSON.stringify(given) });
          } catch (error) {
            // What a client with retries keeps for itself.
            lost = error;
          }
        }
        throw lost;
      },
      {
        name: 'charge',
        description: 'Charge.',
        schema: z.object({ orderId: z.string(), amount: z.number() }),
      },
    );
    const { guard, agent } = process(
      kind,
      [asksFor('charge', args, 'c1'), asksFor('charge', args, 'c2'), says('Unknown.')],
      { tools: [charge] },
    );
    const { output } = await guard.run(agent, asked('Charge it.'), onThread);
    expect(sent).toBe(1);
    expect(answerTo('c1', output).artifact).toMatchObject({ effect: 'unknown' });
    expect(failureIn(answerTo('c2', output))).toBe('outcome_unknown');
    expect(events.of('warning').map(({ code }) => code)).toContain('retries_below');
  });

  it('DU-11: a service that lost its answer gets the same key again, whoever asks again', async () => {
    const { process } = scene();
    const keys: unknown[] = [];
    const made = new Map<unknown, number>();
    const url = await serve((request, response) => {
      const key = request.headers['idempotency-key'];
      keys.push(key);
      if (!made.has(key)) made.set(key, made.size + 1);
      // The answers to all tries of the first call get lost.
      if (keys.length <= 3) request.socket.destroy();
      else response.end(`reservation ${made.get(key)}`);
    });
    const setSlot = tool(
      async (given) => {
        const response = await guardedFetch(url, { method: 'POST', body: JSON.stringify(given) });
        return response.text();
      },
      {
        name: 'set_slot',
        description: 'Move an order.',
        schema: z.object({ orderId: z.string(), slot: z.string() }),
      },
    );
    const slot = (name: string, id: string) =>
      asksFor('set_slot', { orderId: 'o1', slot: name }, id);
    const { guard, agent } = process(
      kind,
      [slot('A', 'c1'), slot('A', 'c2'), slot('B', 'c3'), says('Moved.')],
      { tools: [setSlot] },
    );
    const { output, report } = await guard.run(agent, asked('Move it.'), onThread);
    expect(failureIn(answerTo('c1', output))).toBe('transport_lost');
    expect(answerTo('c2', output).text).toBe('reservation 1');
    // Another wish never goes out under the key of the first.
    expect(answerTo('c3', output).text).toBe('reservation 2');
    expect(keys).toHaveLength(5);
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(new Set(keys).size).toBe(2);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(report.status).toBe('complete');
  });
});

describe('a node that is entered again by its retry policy', () => {
  /** Answers that it was not possible, so many times. */
  const refuses = (times: number) => {
    let left = times;
    return (): undefined => {
      left -= 1;
      if (left >= 0) throw Object.assign(new Error('not now'), { status: 422 });
      return undefined;
    };
  };
  const both = asks(
    'm1',
    { name: 'set_slot', args: { orderId: 'o1', slot: 'A' }, id: 'c1' },
    { name: 'charge', args, id: 'c2' },
  );

  it('LG-06: is not, by a failure that is answered: the guard tries each call by itself', async () => {
    const { world, process } = scene();
    let entered = 0;
    const { guard, agent } = process(guardedGraph, [both, says('Done.')], {
      node: { retryPolicy },
      afterwards: {
        set_slot: () => {
          entered += 1;
          if (entered <= 2) throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
          return undefined;
        },
      },
    });
    const { report } = await guard.run(agent, asked('Both.'), onThread);
    expect(report.status).toBe('complete');
    expect(world.count('set_slot')).toBe(3);
    expect(world.count('charge')).toBe(1);
    expect(guard.counts()).toMatchObject({ call_started: 2, retry_scheduled: 2 });
  });

  it('LG-06: told to throw failures, repeats the one that failed and not the one that worked', async () => {
    const { world, saver, guard: make } = scene();
    const guard = make();
    const tools = caseTools(world, { set_slot: refuses(2) });
    const model = guard.model(new ScriptedModel([both, says('Done.')]));
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', guard.toolNode(tools, { handleToolErrors: false }), { retryPolicy })
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', toolsCondition, ['tools', END])
      .addEdge('tools', 'agent')
      .compile({ checkpointer: guard.checkpointer(saver) });
    const { output, report } = await guard.run(graph, asked('Both.'), onThread);
    expect(world.count('set_slot')).toBe(3);
    expect(world.count('charge')).toBe(1);
    expect(answerTo('c1', output).status).toBe('success');
    expect(answerTo('c2', output).text).toBe('{"receipt":2}');
    expect(report.status).toBe('complete');
  });

  it('DU-10: calls its first tool once, its second as its class allows, each under one key', async () => {
    const { world, saver, guard: make } = scene();
    const guard = make();
    const tools: readonly StructuredToolInterface[] = guard.tools(
      caseTools(world, { set_slot: refuses(2) }),
    );
    const call = (name: string, given: object, config: RunnableConfig) =>
      tools.find((one) => one.name === name)?.invoke({ ...given }, config);
    let entered = 0;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode(
        'steps',
        async (_, config) => {
          entered += 1;
          await call('charge', args, config);
          await call('set_slot', { orderId: 'o1', slot: 'A' }, config);
          return {};
        },
        { retryPolicy },
      )
      .addEdge(START, 'steps')
      .compile({ checkpointer: guard.checkpointer(saver) });
    const { report } = await guard.run(graph, asked('Both.'), onThread);
    expect(entered).toBe(3);
    expect(world.count('charge')).toBe(1);
    expect(world.count('set_slot')).toBe(3);
    const keys = world.deeds.filter(({ tool }) => tool === 'set_slot').map(({ key }) => key);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(report.status).toBe('complete');
  });
});

describe('maxConcurrency: 1, where each call is a task of its own', () => {
  it.each([
    ['v1', 1, 0],
    ['v2', 1, 1],
    [undefined, 1, 1],
    ['v2', 2, 0],
  ] as const)('agent %s with %i at a time: %i warnings', async (version, maxConcurrency, count) => {
    const { events, guard: make } = scene();
    const guard = make();
    const agent = createAgent({
      model: new ScriptedModel([says('Hello.')]),
      tools: [],
      middleware: [guardMiddleware(guard)],
      ...(version === undefined ? {} : { version }),
    });
    await guard.run(agent, asked('Hi.'), { maxConcurrency });
    const codes = events.of('warning').map(({ code }) => code);
    expect(codes.filter((code) => code === 'sends_dropped')).toHaveLength(count);
  });

  it.each(agentKinds)('$name, run by LangGraph alone, is told by its calls', async (kind) => {
    const { world, events, process } = scene();
    const calls = ['A', 'B'].map((slot, at) => {
      return { name: 'set_slot', args: { orderId: 'o1', slot }, id: `c${at}` };
    });
    const { agent } = process(kind, [asks('m1', ...calls), says('Moved.')]);
    await agent.invoke(asked('Move it.'), { ...onThread, maxConcurrency: 1 });
    const codes = events.of('warning').map(({ code }) => code);
    const isDropped = world.count('set_slot') < 2;
    expect(codes.filter((code) => code === 'sends_dropped')).toHaveLength(isDropped ? 1 : 0);
  });
});

describe('DU-12: retries around the guard are warned of when a run starts', () => {
  it('a retry policy on a node, once per graph', async () => {
    const { events, process } = scene();
    const { guard, agent } = process(graphWithToolNode, [says('Hello.'), says('Hello.')], {
      node: { retryPolicy },
    });
    await guard.run(agent, asked('Hi.'), onThread);
    await guard.run(agent, asked('Hi again.'), onThread);
    const warnings = events.of('warning').filter(({ code }) => code === 'retries_below');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('node tools has a retryPolicy'),
    ]);
  });

  it('a retrying middleware of an agent', async () => {
    const { events, guard: make } = scene();
    const guard = make();
    const agent = createAgent({
      model: new ScriptedModel([says('Hello.')]),
      tools: [],
      middleware: [retry, guardMiddleware(guard)],
    });
    await guard.run(agent, asked('Hi.'), {});
    const warnings = events.of('warning').filter(({ code }) => code === 'retries_below');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('toolRetryMiddleware'),
    ]);
  });

  it('nothing where there are none', async () => {
    const { events, process } = scene();
    const { guard, agent } = process(graphWithToolNode, [says('Hello.')]);
    await guard.run(agent, asked('Hi.'), onThread);
    expect(events.of('warning')).toEqual([]);
  });
});

describe('LG-07: a node with less time than a try of its tools', () => {
  const warned = async (timeout: NodeTimeout) => {
    const { events, process } = scene();
    const { guard, agent } = process(graphWithToolNode, [says('Hello.')], { node: { timeout } });
    await guard.run(agent, asked('Hi.'), onThread);
    return events.of('warning').filter(({ code }) => code === 'node_timeout_shorter');
  };

  it.each([4_999, { runTimeout: 4_999 }, { runTimeout: 60_000, idleTimeout: 4_999 }])(
    'is warned of when a run starts: %j',
    async (timeout) => {
      const warnings = await warned(timeout);
      expect(warnings.map(({ message }) => message)).toEqual([
        expect.stringContaining('node tools has a timeout of 4999 ms'),
      ]);
      expect(warnings[0]?.message).toContain('(make_report 5000 ms)');
    },
  );

  it('is nothing to warn of where the time is enough', async () => {
    expect(await warned(5_000)).toEqual([]);
  });
});

const kindsWithNodeOptions = agentKinds.filter(({ takesNodeOptions }) => takesNodeOptions);
describe.each(kindsWithNodeOptions)(
  'LG-07: $name with a time limit of the framework, and a slow write that ignores it',
  (kind) => {
    it('a node timeout with retries makes one effect, and its late end is taken in', async () => {
      const { world, rows, process } = scene();
      const slow = gate();
      const { agent, guard } = process(kind, [asksFor('charge', args, 'c1'), says('Charged.')], {
        node: { timeout: 50, retryPolicy },
        afterwards: { charge: () => slow.opened },
      });
      const run = await guard.run(agent, asked('Charge it.'), onThread);
      // All three attempts of the node gave up; the first one's tool runs on.
      expect(run.report.status).toBe('partial');
      expect(world.count('charge')).toBe(1);
      expect((await rows()).map(({ state }) => state)).toEqual(['unknown']);

      slow.open();
      await until(async () => (await rows())[0]?.state === 'succeeded');
      const { output, report } = await guard.resume(agent, onThread);
      expect(answerTo('c1', output).text).toBe('{"receipt":1}');
      expect(report.status).toBe('complete');
      expect(world.count('charge')).toBe(1);
    });

    it('a node that tries again while the tool still runs joins it', async () => {
      const { world, guard: make, process } = scene();
      const slow = gate();
      const guard = make();
      const { agent } = process(kind, [asksFor('charge', args, 'c1'), says('Charged.')], {
        guard,
        node: { timeout: 50, retryPolicy },
        afterwards: { charge: () => slow.opened },
      });
      const run = guard.run(agent, asked('Charge it.'), onThread);
      await until(() => guard.counts().call_started === 2);
      slow.open();
      const { output, report } = await run;
      expect(answerTo('c1', output).text).toBe('{"receipt":1}');
      expect(report.status).toBe('complete');
      expect(world.count('charge')).toBe(1);
    });
  },
);

describe('LG-07: a slow write that ignores its end', () => {
  it.each(agentKinds)('a caller of $name that gives up in the middle of it', async (kind) => {
    const { world, rows, process } = scene();
    const slow = gate();
    const caller = new AbortController();
    const { agent, guard } = process(kind, [asksFor('charge', args, 'c1'), says('Charged.')], {
      afterwards: { charge: () => slow.opened },
    });
    const run = guard.run(agent, asked('Charge it.'), { ...onThread, signal: caller.signal });
    await until(() => world.count('charge') === 1);
    caller.abort();
    expect((await run).report.status).toBe('partial');
    await until(async () => (await rows())[0]?.state === 'unknown');

    // Asked again before the tool has answered: it is not sent again, and nobody claims to know.
    const early = process(kind, [says('It is being checked.')]);
    const output = await early.agent.invoke(null, onThread);
    expect(failureIn(answerTo('c1', output))).toBe('outcome_unknown');

    slow.open();
    await until(async () => (await rows())[0]?.state === 'succeeded');
    expect(world.count('charge')).toBe(1);
  });

  it('a retrying middleware gets the same answer each time it asks', async () => {
    const { world, process } = scene();
    const { agent } = process(
      agentWithMiddleware,
      [asksFor('charge', args, 'c1'), says('Charged.')],
      {
        outer: [retry],
      },
    );
    const output = await agent.invoke(asked('Charge it.'), onThread);
    expect(answerTo('c1', output).text).toBe('{"receipt":1}');
    expect(world.count('charge')).toBe(1);
  });
});
