import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  toolRetryMiddleware,
  toolStrategy,
} from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  asksFor,
  type Desk,
  desk,
  movedClock,
  ScriptedModel,
  says,
  toolCall,
} from '../adapter.fixture.js';
import { guardMiddleware } from './index.js';

const onThread = { configurable: { thread_id: 'T1' } };
const hello = () => ({ messages: [new HumanMessage('Mail A.')] });
const mailA = (id = 'c1') => asksFor('send_mail', { to: 'a' }, id);

interface Around {
  readonly outer?: readonly AgentMiddleware[];
  readonly inner?: readonly AgentMiddleware[];
  readonly tools?: Parameters<typeof createAgent>[0]['tools'];
  readonly saver?: MemorySaver;
}

function agentOf(
  made: Desk,
  sayings: ConstructorParameters<typeof ScriptedModel>[0],
  { outer = [], inner = [], tools = [made.sendMail], saver = new MemorySaver() }: Around = {},
) {
  const model = new ScriptedModel(sayings);
  const agent = createAgent({
    model,
    tools,
    middleware: [...outer, guardMiddleware(made.guard), ...inner],
    checkpointer: made.guard.checkpointer(saver),
  });
  return { agent, model };
}

const answersIn = ({ messages }: { messages: readonly object[] }): ToolMessage[] =>
  messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message));

describe('the guard`s middleware', () => {
  it('costs no superstep', async () => {
    const made = desk();
    const saver = new MemorySaver();
    const { agent } = agentOf(made, [mailA(), says('Sent.')], { saver });
    await agent.invoke(hello(), onThread);
    const state = await agent.graph.getState(onThread);
    // Input, model, tools, model: as without it.
    expect(state.metadata?.step).toBe(3);
  });

  it('keeps as much time back as a turn of the model takes', async () => {
    const ahead = { ms: 0 };
    const made = desk({ clock: movedClock(ahead) });
    const think = createMiddleware({
      name: 'Think',
      async wrapModelCall(request, handler) {
        ahead.ms += 5_000;
        return handler(request);
      },
    });
    const { agent } = agentOf(made, [mailA(), says('No time.')], { inner: [think] });
    const { report } = await made.guard.run(agent, hello(), {
      ...onThread,
      limits: { deadline: '9s' },
    });
    expect(report.notDone.map(({ kind }) => kind)).toEqual(['deadline_exceeded']);
    expect(made.done).toEqual([]);
    expect(report.time?.reserves.modelTurnMs).toBeGreaterThanOrEqual(5_000);
  });

  it('writes the run down before the model is first asked', async () => {
    const made = desk();
    let runs = 0;
    const look = createMiddleware({
      name: 'Look',
      async wrapModelCall(request, handler) {
        runs = (await made.ledger.runs({ tenant: 'default', threadId: 'T1' })).length;
        return handler(request);
      },
    });
    const { agent } = agentOf(made, [says('Hello.')], { inner: [look] });
    await agent.invoke(hello(), onThread);
    expect(runs).toBe(1);
  });

  it('guards tools that are guarded already no second time', async () => {
    const made = desk();
    const { agent } = agentOf(made, [mailA(), says('Sent.')], {
      tools: made.guard.tools([made.sendMail]),
    });
    await agent.invoke(hello(), onThread);
    expect(made.done).toEqual(['a']);
    expect(made.guard.counts()).toMatchObject({ call_started: 1, effect_folded: 0 });
  });

  it('finds the run by what the user said, whatever others show the model', async () => {
    const made = desk();
    const addContext = createMiddleware({
      name: 'AddContext',
      wrapModelCall: (request, handler) =>
        handler({
          ...request,
          messages: [...request.messages, new HumanMessage('It is Monday.')],
        }),
    });
    const { agent } = agentOf(made, [mailA(), says('Sent.')], { outer: [addContext] });
    await agent.invoke({ messages: [new HumanMessage({ id: 'h1', content: 'Hi.' })] }, onThread);
    const [run] = await made.ledger.runs({ tenant: 'default', threadId: 'T1' });
    expect(run?.inputId).toBe('h1');
    expect(made.events.of('warning').map(({ code }) => code)).not.toContain('intent_underived');
  });
});

describe('a name that the agent does not have', () => {
  it('is answered with the nearest of its names', async () => {
    const made = desk();
    const { agent } = agentOf(made, [asksFor('sendMail', {}, 'c1'), says('I see.')]);
    const [answer] = answersIn(await agent.invoke(hello(), onThread));
    expect(answer?.status).toBe('error');
    expect(answer?.text).toContain('There is no tool named sendMail. Nearest: send_mail.');
    expect(answer?.artifact).toMatchObject({ kind: 'unknown_tool', effect: 'none' });
  });

  it('is answered so in a run that goes on with its tools, before any model call', async () => {
    const made = desk();
    const saver = new MemorySaver();
    const first = agentOf(made, [asksFor('sendMail', {}, 'c1')], { saver });
    await first.agent.graph.invoke(hello(), { ...onThread, interruptBefore: ['tools'] });
    const second = agentOf(made, [says('I see.')], { saver });
    const [answer] = answersIn(await second.agent.invoke(null, onThread));
    expect(answer?.text).toContain('Nearest: send_mail');
  });

  it.each(['__proto__', 'constructor', ''])(
    'is an unknown one also when it is %j',
    async (name) => {
      const made = desk();
      const { agent } = agentOf(made, [asksFor(name, {}, 'c1'), says('I see.')]);
      const [answer] = answersIn(await agent.invoke(hello(), onThread));
      expect(answer?.artifact).toMatchObject({ kind: 'unknown_tool' });
    },
  );
});

describe('beside other people`s middleware', () => {
  const retry = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1 }) as AgentMiddleware;
  const broken = (when: 'before' | 'after') =>
    createMiddleware({
      name: 'Broken',
      async wrapToolCall(request, handler) {
        if (when === 'after') await handler(request);
        throw new Error('the middleware broke');
      },
    }) as AgentMiddleware;

  it.each(['outer', 'inner'] as const)(
    'a retrying one on the %s side repeats nothing',
    async (side) => {
      const made = desk();
      const failing = tool(
        async ({ to }) => {
          made.done.push(to);
          throw Object.assign(new Error('no answer'), { code: 'ECONNRESET' });
        },
        { name: 'send_mail', description: 'Send.', schema: z.object({ to: z.string() }) },
      );
      const { agent } = agentOf(made, [mailA(), says('Unknown.')], {
        [side]: [retry],
        tools: [failing],
      });
      const [answer] = answersIn(await agent.invoke(hello(), onThread));
      expect(made.done).toEqual(['a']);
      expect(answer?.artifact).toMatchObject({ kind: 'transport_lost', effect: 'unknown' });
    },
  );

  it('one that breaks before the tool is a failure without effect', async () => {
    const made = desk();
    const { agent } = agentOf(made, [mailA(), says('No.')], { inner: [broken('before')] });
    const { report, output } = await made.guard.run(agent, hello(), onThread);
    const [answer] = answersIn(output ?? { messages: [] });
    expect(made.done).toEqual([]);
    expect(answer?.artifact).toMatchObject({ kind: 'dependency_failed', effect: 'none' });
    expect(report).toMatchObject({ status: 'failed', notDone: [{ tool: 'send_mail' }] });
  });

  it('one that breaks after the tool does not make its effect uncertain', async () => {
    const made = desk();
    const { agent } = agentOf(made, [mailA(), says('Sent.')], { inner: [broken('after')] });
    const { report, output } = await made.guard.run(agent, hello(), onThread);
    const [answer] = answersIn(output ?? { messages: [] });
    expect(made.done).toEqual(['a']);
    expect(answer?.artifact).toMatchObject({ kind: 'result_not_kept', effect: 'done' });
    expect(answer?.text).toContain('send_mail is done.');
    expect(report).toMatchObject({ status: 'complete', done: [{ tool: 'send_mail' }] });
  });

  it('one that answers in the tool`s place is not disturbed', async () => {
    const made = desk();
    const answering = createMiddleware({
      name: 'Answering',
      wrapToolCall: ({ toolCall: { id = '' } }) =>
        new ToolMessage({ content: 'from elsewhere', tool_call_id: id }),
    }) as AgentMiddleware;
    const { agent } = agentOf(made, [mailA(), says('Good.')], { inner: [answering] });
    const [answer] = answersIn(await agent.invoke(hello(), onThread));
    expect(answer?.text).toBe('from elsewhere');
    expect(made.guard.counts().call_started).toBe(0);
  });

  it('one that brings tools of its own has them guarded', async () => {
    const made = desk();
    const bringing = createMiddleware({ name: 'Bringing', tools: [made.sendMail] });
    const { agent } = agentOf(made, [mailA(), says('Sent.')], { outer: [bringing], tools: [] });
    await agent.invoke(hello(), onThread);
    expect(made.done).toEqual(['a']);
    expect(made.guard.counts().effect_declared).toBe(1);
  });
});

describe('messages of the model', () => {
  it('LG-56: one whose stream broke off while somebody listened does nothing', async () => {
    const made = desk();
    class BreaksOff extends ScriptedModel {
      override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
        if (this.told.length > 0) return;
        this.told.push([]);
        const message = new AIMessageChunk({
          content: '',
          tool_call_chunks: [{ index: 0, id: 'c1', name: 'send_mail', args: '{"to":"a"}' }],
          response_metadata: { model_provider: 'openai' },
        });
        yield new ChatGenerationChunk({ text: '', message, generationInfo: { prompt: 0 } });
      }
    }
    const agent = createAgent({
      model: new BreaksOff([]),
      tools: [made.sendMail],
      middleware: [guardMiddleware(made.guard)],
    });
    const answers: unknown[] = [];
    const read = async (): Promise<void> => {
      const stream = await agent.stream(hello(), {
        ...onThread,
        streamMode: ['updates', 'messages'],
      });
      for await (const [mode, chunk] of stream) {
        if (mode === 'updates' && 'tools' in chunk) answers.push(chunk.tools);
      }
    };
    // The script ends there.
    await expect(read()).rejects.toThrow();
    expect(made.done).toEqual([]);
    expect(answers).toMatchObject([
      {
        messages: [
          { artifact: { kind: 'output_truncated', details: { finishReason: 'stream closed' } } },
        ],
      },
    ]);
  });

  it('LG-47: structured output that cannot be read is the business of its reader', async () => {
    const made = desk();
    const garbled = (name: string) =>
      new AIMessage({ content: '', invalid_tool_calls: [{ name, args: '{"to', id: name }] });
    const model = new ScriptedModel([garbled('send_mail'), garbled('extract-1')]);
    const agent = createAgent({
      model,
      tools: [made.sendMail],
      responseFormat: toolStrategy(z.object({ city: z.string() })),
      middleware: [guardMiddleware(made.guard)],
    });
    const { messages } = await agent.invoke(hello(), onThread);
    expect(answersIn({ messages }).map(({ artifact }) => artifact?.kind)).toEqual([
      'malformed_call',
    ]);
    expect(messages.at(-1)).toMatchObject({
      tool_calls: [],
      invalid_tool_calls: [{ name: 'extract-1' }],
    });
  });

  it('an unguarded run is told what LangChain`s agents tell', async () => {
    const made = desk({ mode: 'off' });
    const broken = tool(
      async () => {
        throw new Error('it broke');
      },
      { name: 'send_mail', description: 'Send.', schema: z.object({ to: z.string() }) },
    );
    const { agent } = agentOf(made, [mailA(), asksFor('send_mial', {}, 'c2'), says('I see.')], {
      tools: [broken],
    });
    const { messages } = await agent.invoke(hello(), onThread);
    expect(answersIn({ messages }).map(({ text }) => text)).toEqual([
      'Error: it broke\n Please fix your mistakes.',
      'Error: send_mial is not a valid tool, try one of [send_mail].',
    ]);
  });
});

describe('what the conversation lost', () => {
  it('is told to the model before it plans, for it alone', async () => {
    const made = desk();
    const lost = agentOf(made, [mailA(), new Error('down')]);
    await expect(lost.agent.invoke(hello(), onThread)).rejects.toThrow('down');
    const next = desk({ ledger: made.ledger });
    const { agent, model } = agentOf(next, [mailA('c2'), says('Sent.')]);
    const output = await agent.invoke(hello(), onThread);
    expect(model.told.map((messages) => messages.at(-1)?.text)).toEqual([
      expect.stringMatching(/interrupted and goes on[\s\S]*Already done for it: send_mail/),
      expect.stringContaining('already done'),
    ]);
    expect(output.messages.map((message) => message.getType())).toEqual([
      'human',
      'ai',
      'tool',
      'ai',
    ]);
    expect(next.done).toEqual([]);
  });

  it('and whose outcome is unknown is told as unknown', async () => {
    const made = desk();
    const failing = tool(
      async () => {
        throw Object.assign(new Error('no answer'), { code: 'ECONNRESET' });
      },
      { name: 'send_mail', description: 'Send.', schema: z.object({ to: z.string() }) },
    );
    const lost = agentOf(made, [mailA(), new Error('down')], { tools: [failing] });
    await expect(lost.agent.invoke(hello(), onThread)).rejects.toThrow('down');
    const { agent, model } = agentOf(desk({ ledger: made.ledger }), [says('It is checked.')]);
    await agent.invoke(hello(), onThread);
    expect(model.told[0]?.at(-1)?.text).toContain('Outcome unknown: send_mail. Do not repeat.');
  });

  it('is not told where nothing was lost', async () => {
    const made = desk();
    const { agent, model } = agentOf(made, [mailA(), says('Sent.'), says('Hello.')]);
    await agent.invoke(hello(), onThread);
    await agent.invoke({ messages: [new HumanMessage('Hi.')] }, onThread);
    expect(model.told.flat().some(({ text }) => text.includes('Note of the system'))).toBe(false);
  });
});

describe('while the ledger is away', () => {
  it('the model is asked, reads go on, effects do not, and that is said', async () => {
    const made = desk();
    let looked = 0;
    const lookUp = tool(
      async ({ id }) => {
        looked += 1;
        return { id, found: true };
      },
      { name: 'look_up', description: 'Look.', schema: z.object({ id: z.string() }) },
    );
    const { agent } = agentOf(
      made,
      [
        new AIMessage({
          content: '',
          tool_calls: [toolCall('look_up', { id: 'x' }), toolCall('send_mail', { to: 'a' }, 'c2')],
        }),
        says('Partly.'),
      ],
      { tools: [lookUp, made.sendMail] },
    );
    await made.ledger.close();
    const [read, write] = answersIn(await agent.invoke(hello(), onThread));
    expect(read?.status).toBe('success');
    expect(write?.artifact).toMatchObject({ kind: 'ledger_unavailable', effect: 'none' });
    expect([looked, made.done]).toEqual([1, []]);
    expect(made.events.of('warning').map(({ code }) => code)).toContain('not_admitted');
  });
});
