import { HumanMessage } from '@langchain/core/messages';
import {
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { asksFor, type Desk, desk, ScriptedModel, says } from './adapter.fixture.js';
import { guardMiddleware } from './middleware/index.js';

const onThread = { configurable: { thread_id: 'T1' } };
const hello = () => ({ messages: [new HumanMessage('Mail A.')] });
const mailA = (id = 'c1') => asksFor('send_mail', { to: 'a' }, id);
const down = new Error('the model is down');

function agentOf(
  made: Desk,
  saver: MemorySaver,
  ...sayings: ConstructorParameters<typeof ScriptedModel>[0]
) {
  const model = new ScriptedModel(sayings);
  const agent = createAgent({
    model,
    tools: [made.sendMail],
    middleware: [guardMiddleware(made.guard)],
    checkpointer: made.guard.checkpointer(saver),
  });
  return { agent, model };
}

/** Another process over the same ledger. */
const next = (made: Desk) => desk({ ledger: made.ledger });

describe('guard.resume', () => {
  it('needs a thread', async () => {
    const made = desk();
    const { agent } = agentOf(made, new MemorySaver());
    await expect(made.guard.resume(agent, {})).rejects.toMatchObject({
      code: 'input_invalid',
      field: 'config.configurable.thread_id',
    });
  });

  it('of a finished thread reports, gives its state and calls nothing', async () => {
    const [made, saver] = [desk(), new MemorySaver()];
    await made.guard.run(agentOf(made, saver, mailA(), says('Sent.')).agent, hello(), onThread);
    const second = next(made);
    const { agent, model } = agentOf(second, saver);
    const { report, output } = await second.guard.resume(agent, onThread);
    expect(report).toMatchObject({ status: 'complete', done: [{ tool: 'send_mail' }] });
    expect(output?.messages.at(-1)?.text).toBe('Sent.');
    expect(model.told).toEqual([]);
    expect(second.guard.counts()).toMatchObject({ run_resumed: 0, call_started: 0 });
  });

  it('of a finished thread still tells what it did not do', async () => {
    const [made, saver] = [desk(), new MemorySaver()];
    const { agent } = agentOf(made, saver, asksFor('send_mail', { too: 'a' }, 'c1'), says('No.'));
    const first = await made.guard.run(agent, hello(), onThread);
    expect(first.report.status).toBe('failed');
    const { report } = await next(made).guard.resume(agent, onThread);
    expect(report.status).toBe('failed');
    expect(report.notDone).toMatchObject([{ kind: 'invalid_arguments' }]);
  });

  it('of a thread that waits for a person shows what it waits for, and calls nothing', async () => {
    const made = desk();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('ask', () => ({ messages: [says(String(interrupt('Well?')))] }))
      .addEdge(START, 'ask')
      .compile({ checkpointer: made.guard.checkpointer(new MemorySaver()) });
    await made.guard.run(graph, hello(), onThread);
    expect(await made.guard.resume(graph, onThread)).toMatchObject({
      report: { status: 'interrupted' },
      interrupts: [{ value: 'Well?' }],
    });
  });

  it('in the middle goes on from the checkpoint, and says from where', async () => {
    const [made, saver] = [desk(), new MemorySaver()];
    await made.guard.run(agentOf(made, saver, mailA(), down).agent, hello(), onThread);
    const second = next(made);
    const { agent, model } = agentOf(second, saver, says('Sent.'));
    const { report, output } = await second.guard.resume(agent, onThread);
    expect(output?.messages.map((message) => message.getType())).toEqual([
      'human',
      'ai',
      'tool',
      'ai',
    ]);
    expect(model.told).toHaveLength(1);
    expect(made.done).toEqual(['a']);
    expect(report).toMatchObject({
      status: 'complete',
      resume: {
        checkpointId: expect.any(String),
        step: 2,
        skipped: [report.done[0]?.key],
        unknown: [],
        unrecorded: [],
      },
    });
    expect(second.events.of('run_resumed')).toMatchObject([{ step: 2, skipped: [{}] }]);
  });

  it('of a run without a checkpoint begins from its input, and repeats nothing', async () => {
    const made = desk();
    await made.guard.run(agentOf(made, new MemorySaver(), mailA(), down).agent, hello(), onThread);
    const second = next(made);
    const { agent, model } = agentOf(second, new MemorySaver(), mailA('c2'), says('Sent.'));
    const { report, output } = await second.guard.resume(agent, onThread);
    expect(output?.messages[0]?.text).toBe('Mail A.');
    expect(model.told[0]?.at(-1)?.text).toContain('Already done for it: send_mail');
    expect(made.done).toEqual(['a']);
    expect(second.done).toEqual([]);
    expect(report.status).toBe('complete');
    expect(report.resume).toMatchObject({ skipped: [expect.any(String)] });
    expect(report.resume?.checkpointId).toBeUndefined();
  });

  it('of a run without checkpoint and input says what it needs', async () => {
    const made = desk({ storeInput: false });
    await made.guard.run(agentOf(made, new MemorySaver(), down).agent, hello(), onThread);
    const { agent, model } = agentOf(made, new MemorySaver());
    const run = await made.guard.resume(agent, onThread);
    expect(run.report).toMatchObject({ status: 'failed', resume: { needs: 'input' } });
    expect(run).toMatchObject({
      error: { message: expect.stringContaining('send the input again') },
    });
    expect(model.told).toEqual([]);
  });

  it('of a newer input that left no checkpoint begins with that one', async () => {
    const [made, saver] = [desk(), new MemorySaver()];
    await made.guard.run(agentOf(made, saver, says('Hello.')).agent, hello(), onThread);
    const lost = agentOf(made, new MemorySaver(), down).agent;
    await made.guard.run(lost, { messages: 'Mail B.' }, onThread);
    const { agent, model } = agentOf(made, saver, says('Good.'));
    await made.guard.resume(agent, onThread);
    expect(model.told[0]?.at(-1)?.text).toBe('Mail B.');
  });

  it('of a thread that no guard has seen goes on as LangGraph does', async () => {
    const [made, saver] = [desk(), new MemorySaver()];
    const bare = createAgent({
      model: new ScriptedModel([mailA(), down]),
      tools: [made.sendMail],
      checkpointer: saver,
    });
    await expect(bare.invoke(hello(), onThread)).rejects.toThrow('down');
    const { agent } = agentOf(made, saver, says('Sent.'));
    const { report, output } = await made.guard.resume(agent, onThread);
    expect(output?.messages.at(-1)?.text).toBe('Sent.');
    expect(report.status).toBe('complete');
  });

  it('tells of a write that the conversation claims and this ledger does not know', async () => {
    const [made, saver] = [desk(), new MemorySaver()];
    const { agent } = agentOf(made, saver, mailA(), down);
    await made.guard.run(agent, hello(), onThread);
    // As after a restore of an older copy of this very ledger, whose stamps are still there.
    const forgetful = desk({ ledger: { ...made.ledger, find: async () => [] } });
    const resumed = agentOf(forgetful, saver, says('Sent.')).agent;
    const { report } = await forgetful.guard.resume(resumed, onThread);
    expect(report.resume?.unrecorded).toEqual([{ tool: 'send_mail', callId: 'c1' }]);
    expect(forgetful.events.of('warning').map(({ code }) => code)).toContain('checkpoint_ahead');
  });
});
