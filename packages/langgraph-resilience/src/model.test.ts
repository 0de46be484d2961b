import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { isSetupError } from '@holdfast/tool-registry';
import type { LanguageModelLike } from '@langchain/core/language_models/base';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { RunnableBinding, RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asksFor, type Desk, desk, ScriptedModel, says } from './adapter.fixture.js';
import { guardMiddleware } from './middleware/index.js';

const onThread = { configurable: { thread_id: 'T1', intent_id: 'i1' } };
const human = new HumanMessage({ id: 'h1', content: 'Hello.' });
const call = { type: 'tool_call' as const, name: 'send_mail', args: { to: 'a' }, id: 'c1' };
/** A call that nobody answered, and what was said since. */
const dangling = [
  human,
  new AIMessage({ id: 'm1', content: '', tool_calls: [call] }),
  new HumanMessage('And?'),
];

/** A model with doors of its own: it streams, and what is bound to it makes a new one. */
class OwnModel extends BaseChatModel {
  readonly told: BaseMessage[][];
  constructor(
    private readonly message: AIMessage,
    readonly bound: readonly unknown[] = [],
    told: BaseMessage[][] = [],
  ) {
    super({});
    this.told = told;
  }
  override _llmType(): string {
    return 'own';
  }
  override bindTools(tools: unknown[]): OwnModel {
    return new OwnModel(this.message, tools, this.told);
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.told.push(messages);
    return { generations: [{ text: '', message: this.message }] };
  }
  override async *_streamResponseChunks(
    messages: BaseMessage[],
  ): AsyncGenerator<ChatGenerationChunk> {
    this.told.push(messages);
    for (const text of ['one ', 'two']) {
      const message = new AIMessageChunk({ content: text });
      yield new ChatGenerationChunk({ text, message });
    }
  }
}

const kindsOf = (messages: readonly BaseMessage[] | undefined) =>
  messages?.map((message) => message.getType());
const VALID = ['human', 'ai', 'tool', 'human'];

describe('a guarded model', () => {
  it('is of the same kind, and guarded once', () => {
    const { guard } = desk();
    const model = new OwnModel(says('Hi.'));
    const guarded = guard.model(model);
    expect(guarded).toBeInstanceOf(OwnModel);
    expect(guarded).not.toBe(model);
    expect(guard.model(guarded)).toBe(guarded);
  });

  it('is told a valid history through every door', async () => {
    const { guard } = desk();
    const model = new OwnModel(says('Hi.'));
    const guarded = guard.model(model);
    await guarded.invoke(dangling);
    await guarded.batch([dangling]);
    await guarded.generate([dangling]);
    const parts: string[] = [];
    for await (const part of await guarded.stream(dangling)) parts.push(part.text);
    for await (const event of guarded.streamEvents(dangling, { version: 'v2' })) void event;
    await guarded.streamEvents(dangling);
    expect(parts).toEqual(['one ', 'two']);
    expect(model.told.map(kindsOf)).toEqual(model.told.map(() => VALID));
    expect(model.told).toHaveLength(6);
  });

  it('stays guarded when tools or settings are bound to it', async () => {
    const { guard } = desk();
    const model = new OwnModel(says('Hi.'));
    const bound = guard.model(model).bindTools([{ name: 'send_mail' }]);
    expect(bound.bound).toEqual([{ name: 'send_mail' }]);
    await bound.invoke(dangling);
    await guard
      .model(model)
      .withConfig({ tags: ['a'] })
      .invoke(dangling);
    await guard.model(model.withConfig({ tags: ['a'] })).invoke(dangling);
    expect(model.told.map(kindsOf)).toEqual([VALID, VALID, VALID]);
    const binding = guard.model(model.withConfig({ tags: ['a'] }));
    expect(RunnableBinding.isRunnableBinding(binding)).toBe(true);
  });

  it('gives structured output, the call of which is nobody else`s', async () => {
    const { guard } = desk();
    const extracting = new AIMessageChunk({
      content: '',
      tool_calls: [{ type: 'tool_call', name: 'extract', args: { city: 'Kobe' }, id: 'x' }],
    });
    const schema = z.object({ city: z.string() });
    const structured = guard.model(new OwnModel(extracting)).withStructuredOutput(schema);
    expect(await structured.invoke(dangling)).toEqual({ city: 'Kobe' });
    const garbled = new AIMessageChunk({
      content: '',
      invalid_tool_calls: [{ name: 'extract', args: '{"city', id: 'x' }],
    });
    const failing = guard.model(new OwnModel(garbled)).withStructuredOutput(schema);
    await expect(failing.invoke(dangling)).rejects.toThrow(/No tool calls found/);
  });

  it('whose provider is chosen by the call guards the one that is chosen', async () => {
    const { guard } = desk();
    const chosen = new OwnModel(says('Hi.'));
    class Configurable extends BaseChatModel {
      readonly _queuedMethodOperations = {};
      override _llmType(): string {
        return 'configurable';
      }
      async _getModelInstance(): Promise<BaseChatModel> {
        return chosen;
      }
      override async invoke(...given: Parameters<BaseChatModel['invoke']>) {
        return (await this._getModelInstance()).invoke(...given);
      }
      override async _generate(): Promise<ChatResult> {
        throw new Error('it asks others');
      }
    }
    await guard.model(new Configurable({})).invoke(dangling);
    expect(chosen.told.map(kindsOf)).toEqual([VALID]);
  });

  it('is none of models that are combined already', () => {
    const { guard } = desk();
    const fallback: LanguageModelLike = new OwnModel(says('Hi.')).withFallbacks([
      new OwnModel(says('Ho.')),
    ]);
    const refused = (): unknown => guard.model(fallback);
    expect(refused).toThrow(/no chat model/);
    try {
      refused();
    } catch (error) {
      expect(isSetupError(error) && error.code).toBe('option_out_of_range');
    }
    const lambda = RunnableLambda.from(() => says('Hi.'));
    expect(() => guard.model(lambda)).toThrow(/guard each model before/);
  });

  it('notes how long the model took', async () => {
    const clock = manualClock();
    const { guard } = desk({ clock, ledger: memoryLedger({ now: clock.wallMs }) });
    const slow = new OwnModel(says('Hi.'));
    slow._generate = async () => {
      await clock.advance(700);
      return { generations: [{ text: 'Hi.', message: says('Hi.') }] };
    };
    let run: ReturnType<typeof guard.parts.currentRun>;
    const [ask] = guard.tools([
      tool(
        async () => {
          run = guard.parts.currentRun();
          await guard.model(slow).invoke([human]);
          return 'asked';
        },
        { name: 'ask', description: 'Ask.', schema: z.object({}) },
      ),
    ]);
    await ask.invoke({}, onThread);
    expect(run?.budget.explain().time.reserves.modelTurnMs).toBe(700);
  });

  it('is left as it is by a guard that is off', async () => {
    const { guard, ledger } = desk({ mode: 'off' });
    const model = new OwnModel(new AIMessage({ content: '', tool_calls: [call, call] }));
    const answer = await guard.model(model).invoke(dangling, onThread);
    expect(model.told.map(kindsOf)).toEqual([['human', 'ai', 'human']]);
    expect(answer.tool_calls?.map(({ id }) => id)).toEqual(['c1', 'c1']);
    expect(await ledger.runs({ tenant: 'default', threadId: 'T1' })).toEqual([]);
  });
});

describe('what a guarded model answers', () => {
  it('LG-50: has calls with ids that no call of the conversation has', async () => {
    const { guard } = desk();
    const model = new OwnModel(
      new AIMessage({
        content: '',
        tool_calls: [call, { ...call, id: 'c2' }, { ...call, id: 'c2' }],
      }),
    );
    const { tool_calls: calls } = await guard.model(model).invoke(dangling);
    const ids = calls?.map(({ id }) => id) ?? [];
    expect(ids[1]).toBe('c2');
    expect(new Set([...ids, 'c1']).size).toBe(4);
  });

  it('LG-47: has calls that nobody can read among its calls, where they are of a guarded tool', async () => {
    const { guard, sendMail } = desk();
    guard.tools([sendMail]);
    const garbled = new AIMessage({
      content: '',
      invalid_tool_calls: ['send_mail', 'extract'].map((name) => ({
        name,
        args: '{"to',
        id: name,
      })),
    });
    const answer = await guard.model(new OwnModel(garbled)).invoke([human]);
    expect(answer.tool_calls?.map(({ name }) => name)).toEqual(['send_mail']);
    expect(answer.invalid_tool_calls?.map(({ name }) => name)).toEqual(['extract']);
  });

  it('LG-56: knows that its stream broke off, also while somebody listens', async () => {
    const { guard, sendMail, done } = desk();
    class BreaksOff extends OwnModel {
      override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
        const message = new AIMessageChunk({
          content: '',
          tool_call_chunks: [{ index: 0, id: 'c1', name: 'send_mail', args: '{"to":"a"}' }],
          response_metadata: { model_provider: 'openai' },
        });
        yield new ChatGenerationChunk({ text: '', message, generationInfo: { prompt: 0 } });
      }
    }
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({
        messages: [await guard.model(new BreaksOff(says(''))).invoke(messages)],
      }))
      .addNode('tools', guard.toolNode([sendMail]))
      .addEdge(START, 'agent')
      .addEdge('agent', 'tools')
      .compile();
    const listening = {
      ...onThread,
      streamMode: ['messages', 'values'] as ('messages' | 'values')[],
    };
    let last: readonly BaseMessage[] = [];
    for await (const [mode, chunk] of await graph.stream({ messages: [human] }, listening)) {
      if (mode === 'values') last = chunk.messages;
    }
    expect(done).toEqual([]);
    expect(last.at(-1)).toMatchObject({
      artifact: { kind: 'output_truncated', details: { finishReason: 'stream closed' } },
    });
  });
});

describe('what the ledger says where the conversation has no answer', () => {
  /** The turn of an agent that broke off while it mailed; then what is told to the model. */
  async function toldAfter(made: Desk, mail: () => Promise<string>, ending: AIMessage | Error) {
    const sendMail = tool(mail, {
      name: 'send_mail',
      description: 'Send.',
      schema: z.object({ to: z.string() }),
    });
    const saver = new MemorySaver();
    const agent = (model: ScriptedModel) =>
      createReactAgent({
        llm: made.guard.model(model),
        tools: made.guard.toolNode([sendMail]),
        checkpointer: made.guard.checkpointer(saver),
      });
    const thread = { configurable: { thread_id: 'T1' } };
    await agent(new ScriptedModel([asksFor('send_mail', { to: 'a' }, 'c1'), ending]))
      .invoke({ messages: [human] }, thread)
      .catch(() => undefined);
    // As after a crash before the tools node was written down.
    const lost = new MemorySaver();
    const graph = createReactAgent({
      llm: made.guard.model(new ScriptedModel([])),
      tools: made.guard.toolNode([sendMail]),
      checkpointer: lost,
    });
    const asked = asksFor('send_mail', { to: 'a' }, 'c1');
    await graph.updateState(thread, { messages: [human, asked] }, 'agent');
    const model = new ScriptedModel([says('I see.')]);
    await createReactAgent({
      llm: made.guard.model(model),
      tools: made.guard.toolNode([sendMail]),
      checkpointer: lost,
    }).invoke({ messages: [new HumanMessage('And?')] }, thread);
    return model.told[0] ?? [];
  }

  it('LG-43, LG-52: is the result of what was done', async () => {
    const made = desk();
    const told = await toldAfter(made, async () => 'sent to a', new Error('down'));
    expect(kindsOf(told)).toEqual(VALID);
    expect(told[2]).toMatchObject({ content: 'sent to a', tool_call_id: 'c1' });
    expect(made.events.of('history_repaired')).toMatchObject([
      { what: 'answer added', callId: 'c1', tool: 'send_mail' },
    ]);
  });

  it('LG-43: is that nobody knows, where it is unknown', async () => {
    const lost = async (): Promise<string> => {
      throw Object.assign(new Error('no answer'), { code: 'ECONNRESET' });
    };
    const told = await toldAfter(desk(), lost, new Error('down'));
    expect(told[2]?.text).toContain('status: outcome_unknown');
  });

  it('LG-52: is that the conversation went on, where it never began', async () => {
    const { guard } = desk();
    const model = new OwnModel(says('Hi.'));
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({
        messages: [await guard.model(model).invoke(messages)],
      }))
      .addEdge(START, 'agent')
      .compile();
    await graph.invoke({ messages: dangling }, onThread);
    expect(model.told[0]?.[2]?.text).toContain('effect: none\nsend_mail was not called');
  });

  it('is not known outside of any run, which is said', async () => {
    const model = new OwnModel(says('Hi.'));
    await desk().guard.model(model).invoke(dangling);
    expect(model.told[0]?.[2]?.text).toContain('effect: unknown');
  });
});

describe('beside the middleware', () => {
  it('everything is done once', async () => {
    const { guard, sendMail, events } = desk();
    const model = new ScriptedModel([says('Hi.')]);
    const agent = createAgent({
      model: guard.model(model),
      tools: [sendMail],
      middleware: [guardMiddleware(guard)],
    });
    await agent.invoke({ messages: [...dangling] }, onThread);
    expect(model.told.map(kindsOf)).toEqual([VALID]);
    expect(events.of('history_repaired')).toHaveLength(1);
  });
});

describe('a guarded model node', () => {
  const asking = (given: readonly BaseMessage[][], answer: unknown) => {
    return async (
      { messages }: { messages: BaseMessage[] },
      config: { readonly tags?: string[] },
    ) => {
      (given as BaseMessage[][]).push(messages);
      expect(config).toBeDefined();
      return answer;
    };
  };
  const twice = () => new AIMessage({ content: '', tool_calls: [call, { ...call }] });

  it.each([
    ['an update', (message: AIMessage) => ({ messages: [message], other: 1 })],
    ['a message', (message: AIMessage) => ({ messages: message })],
    ['a list', (message: AIMessage) => [message]],
  ])('is given a valid history, and %s that it returns can be answered', async (_, wrap) => {
    const { guard } = desk();
    const given: BaseMessage[][] = [];
    const node = guard.modelNode(asking(given, wrap(twice())));
    const update: unknown = await node({ messages: [...dangling] }, {});
    expect(given.map(kindsOf)).toEqual([VALID]);
    const [message] = [update]
      .flatMap((one) =>
        typeof one === 'object' && one !== null && 'messages' in one ? one.messages : one,
      )
      .flat() as AIMessage[];
    expect(new Set(message?.tool_calls?.map(({ id }) => id)).size).toBe(2);
  });

  it('may return whatever else', async () => {
    const { guard } = desk();
    const node = guard.modelNode(asking([], undefined));
    expect(await node({ messages: [human] }, {})).toBeUndefined();
    const answered = new ToolMessage({ content: 'x', tool_call_id: 'c1' });
    const given = await guard.modelNode(asking([], [answered]))({ messages: [human] }, {});
    expect(given).toEqual([answered]);
  });
});
