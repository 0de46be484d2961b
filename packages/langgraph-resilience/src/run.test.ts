import {
  isLedgerError,
  LedgerError,
  type LedgerStore,
  memoryLedger,
} from '@holdfast/effect-ledger';
import { HumanMessage } from '@langchain/core/messages';
import {
  Command,
  entrypoint,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { asksFor, type Desk, desk, ScriptedModel, says } from './adapter.fixture.js';
import { guardMiddleware } from './middleware/index.js';

const onThread = { configurable: { thread_id: 'T1' } };
const hello = () => ({ messages: [new HumanMessage('Mail A.')] });
const mailA = (id = 'c1') => asksFor('send_mail', { to: 'a' }, id);

function agentOf(made: Desk, ...sayings: ConstructorParameters<typeof ScriptedModel>[0]) {
  return createAgent({
    model: new ScriptedModel(sayings),
    tools: [made.sendMail],
    middleware: [guardMiddleware(made.guard)],
    checkpointer: made.guard.checkpointer(new MemorySaver()),
  });
}

describe('guard.run', () => {
  it('gives what the graph gives, with the report', async () => {
    const made = desk();
    const { output, report, interrupts } = await made.guard.run(
      agentOf(made, mailA(), says('Sent.')),
      hello(),
      onThread,
    );
    expect(output?.messages.at(-1)?.text).toBe('Sent.');
    expect(report).toMatchObject({
      status: 'complete',
      done: [{ tool: 'send_mail' }],
      notDone: [],
      recoverable: { safeToRepeat: false, wouldRun: [] },
    });
    expect(report.text.forUser).toContain('send_mail');
    expect(interrupts).toEqual([]);
    const [run] = await made.ledger.runs({ runId: report.runId });
    expect(run?.ended?.status).toBe('complete');
    expect(made.guard.counts()).toMatchObject({ run_started: 1, run_finished: 1 });
  });

  it("reports in the language of the guard's user", async () => {
    const made = desk({ locale: 'ja' });
    const { report } = await made.guard.run(
      agentOf(made, mailA(), says('Sent.')),
      hello(),
      onThread,
    );
    expect(report.text.forUser).toBe(
      '完了した操作：「send_mail」。これらが再度実行されることはありません。',
    );
  });

  it('writes the run down before the model is asked, with its input unless told not to', async () => {
    for (const storeInput of [true, false]) {
      const made = desk({ storeInput });
      let runs: readonly object[] = [];
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('ask', async () => {
          runs = await made.ledger.runs({ tenant: 'default', threadId: 'T1' });
          return {};
        })
        .addEdge(START, 'ask')
        .compile();
      await made.guard.run(graph, hello(), onThread);
      expect(runs).toHaveLength(1);
      expect('input' in (runs[0] ?? {})).toBe(storeInput);
    }
  });

  it('tells what the graph threw, and what is done by then', async () => {
    const made = desk();
    const broken = new Error('the model is down');
    const run = await made.guard.run(agentOf(made, mailA(), broken), hello(), onThread);
    expect(run.report).toMatchObject({
      status: 'partial',
      done: [{ tool: 'send_mail' }],
      recoverable: { safeToRepeat: true },
    });
    expect(run).toMatchObject({ error: { message: 'the model is down' }, interrupts: [] });
    expect('output' in run).toBe(false);
    const [record] = await made.ledger.runs({ runId: run.report.runId });
    expect(record?.ended).toBeUndefined();
  });

  it('that failed before any effect changed nothing, and says so', async () => {
    const made = desk();
    const { report } = await made.guard.run(agentOf(made, new Error('down')), hello(), onThread);
    expect(report.status).toBe('failed');
    expect(report.text.forUser).toContain('Nothing was changed.');
  });

  it('goes on under the same run when its message is sent again', async () => {
    const made = desk();
    const agent = agentOf(made, mailA(), new Error('down'), mailA('c2'), says('Sent.'));
    const first = await made.guard.run(agent, hello(), onThread);
    const second = await made.guard.run(agent, hello(), onThread);
    expect(second.report.runId).toBe(first.report.runId);
    expect(second.report.status).toBe('complete');
    expect(made.done).toEqual(['a']);
    expect(made.guard.counts()).toMatchObject({ run_started: 1, run_resumed: 1 });
  });

  describe('whose process ended with the answer in the conversation, before anybody had it', () => {
    const endsBeforeTheEnd = (): LedgerStore => {
      const ledger = memoryLedger();
      let ends = 0;
      return {
        ...ledger,
        async endRun(...end) {
          ends += 1;
          if (ends === 1) throw new LedgerError('failed', 'gone');
          return ledger.endRun(...end);
        },
      };
    };

    it('gives that answer when its message is sent again, and does nothing', async () => {
      const made = desk({ ledger: endsBeforeTheEnd() });
      const agent = agentOf(made, mailA(), says('Sent.'));
      await expect(made.guard.run(agent, hello(), onThread)).rejects.toThrow('gone');
      const { output, report } = await made.guard.run(agent, hello(), onThread);
      expect(output?.messages.map((message) => message.text)).toEqual([
        'Mail A.',
        '',
        'sent to a',
        'Sent.',
      ]);
      expect(report).toMatchObject({ status: 'complete', done: [{ tool: 'send_mail' }] });
      expect(made.done).toEqual(['a']);
      const [record] = await made.ledger.runs({ runId: report.runId });
      expect(record?.ended?.status).toBe('complete');
    });

    it('streams nothing then, and has the same result', async () => {
      const made = desk({ ledger: endsBeforeTheEnd() });
      const agent = agentOf(made, mailA(), says('Sent.'));
      await expect(made.guard.run(agent, hello(), onThread)).rejects.toThrow('gone');
      const stream = made.guard.stream(agent, hello(), { ...onThread, streamMode: 'updates' });
      for await (const chunk of stream) expect.unreachable(JSON.stringify(chunk));
      expect(await stream.result).toMatchObject({ report: { status: 'complete' } });
      expect(made.done).toEqual(['a']);
    });

    it('takes the message for a new wish once the conversation has gone on', async () => {
      const made = desk({ ledger: endsBeforeTheEnd() });
      const agent = agentOf(
        made,
        ...[mailA(), says('Sent.'), says('You are welcome.')],
        ...[mailA('c2'), says('Sent again.')],
      );
      await expect(made.guard.run(agent, hello(), onThread)).rejects.toThrow('gone');
      const thanks = { messages: [new HumanMessage('Thanks.')] };
      await made.guard.run(agent, thanks, onThread);
      const { report } = await made.guard.run(agent, hello(), onThread);
      expect(report.status).toBe('complete');
      expect(made.done).toEqual(['a', 'a']);
    });
  });

  it('asks a person what the graph asks, and goes on with the answer', async () => {
    const made = desk();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('ask', () => ({ messages: [says(String(interrupt('Well?')))] }))
      .addEdge(START, 'ask')
      .compile({ checkpointer: made.guard.checkpointer(new MemorySaver()) });
    const paused = await made.guard.run(graph, hello(), onThread);
    expect(paused.report.status).toBe('interrupted');
    expect(paused.interrupts).toMatchObject([{ value: 'Well?' }]);
    const done = await made.guard.run(graph, new Command({ resume: 'yes' }), onThread);
    expect(done.report).toMatchObject({ status: 'complete', runId: paused.report.runId });
    expect(done.output?.messages.at(-1)?.text).toBe('yes');
  });

  it('reports after a pause what failed before it', async () => {
    const made = desk();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('model', () => ({ messages: [asksFor('send_mail', { too: 'a' }, 'c1')] }))
      .addNode('tools', async ({ messages }, config) => {
        const [mail] = made.guard.tools([made.sendMail]);
        const call = {
          type: 'tool_call' as const,
          name: 'send_mail',
          args: { too: 'a' },
          id: 'c1',
        };
        return { messages: messages.length > 0 ? [await mail.invoke(call, config)] : [] };
      })
      .addNode('ask', () => ({ messages: [says(String(interrupt('Well?')))] }))
      .addEdge(START, 'model')
      .addEdge('model', 'tools')
      .addEdge('tools', 'ask')
      .compile({ checkpointer: made.guard.checkpointer(new MemorySaver()) });
    await made.guard.run(graph, hello(), onThread);
    const { report } = await made.guard.run(graph, new Command({ resume: 'yes' }), onThread);
    expect(report.status).toBe('failed');
    expect(report.notDone).toMatchObject([{ kind: 'invalid_arguments', tool: 'send_mail' }]);
  });

  it('works for the functional API, without a conversation', async () => {
    const made = desk();
    const [mail] = made.guard.tools([made.sendMail]);
    const step = task('step', async (to: string) => mail.invoke({ to }));
    const flow = entrypoint(
      { name: 'flow', checkpointer: made.guard.checkpointer(new MemorySaver()) },
      async (to: string) => step(to),
    );
    const { output, report } = await made.guard.run(flow, 'a', onThread);
    expect(output).toBe('sent to a');
    expect(report).toMatchObject({ status: 'complete', done: [{ tool: 'send_mail' }] });
  });

  it('works without a thread', async () => {
    const made = desk();
    const agent = createAgent({
      model: new ScriptedModel([mailA(), says('Sent.')]),
      tools: [made.sendMail],
      middleware: [guardMiddleware(made.guard)],
    });
    const { report } = await made.guard.run(agent, hello(), {});
    expect(report.status).toBe('complete');
  });

  it('rejects what it cannot write down', async () => {
    const made = desk();
    await made.ledger.close();
    const run = made.guard.run(agentOf(made, says('Never.')), hello(), onThread);
    await expect(run).rejects.toSatisfy(isLedgerError);
  });
});

describe('guard.stream', () => {
  it('streams what the graph streams, and reports at the end', async () => {
    const made = desk();
    const agent = agentOf(made, mailA(), says('Sent.'));
    const stream = made.guard.stream(agent, hello(), { ...onThread, streamMode: 'updates' });
    const nodes: string[] = [];
    for await (const chunk of stream) nodes.push(...Object.keys(chunk as object));
    expect(nodes).toEqual(['model_request', 'tools', 'model_request']);
    const { report, output } = await stream.result;
    expect(report).toMatchObject({ status: 'complete', done: [{ tool: 'send_mail' }] });
    expect(output).toMatchObject({ messages: expect.any(Array) });
  });

  it('shows the pauses of the graph', async () => {
    const made = desk();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('ask', () => ({ messages: [says(String(interrupt('Well?')))] }))
      .addEdge(START, 'ask')
      .compile({ checkpointer: made.guard.checkpointer(new MemorySaver()) });
    const stream = made.guard.stream(graph, hello(), onThread);
    for await (const chunk of stream) void chunk;
    expect(await stream.result).toMatchObject({
      report: { status: 'interrupted' },
      interrupts: [{ value: 'Well?' }],
    });
  });

  it('throws to its reader what the graph throws, and reports it', async () => {
    const made = desk();
    const stream = made.guard.stream(agentOf(made, mailA(), new Error('down')), hello(), onThread);
    const read = async () => {
      for await (const chunk of stream) void chunk;
    };
    await expect(read()).rejects.toThrow('down');
    const { report } = await stream.result;
    expect(report).toMatchObject({ status: 'partial', done: [{ tool: 'send_mail' }] });
  });

  it('that was left in the middle is not complete, and its run goes on', async () => {
    const made = desk();
    const agent = agentOf(made, mailA(), says('Sent.'), says('Sent.'));
    const stream = made.guard.stream(agent, hello(), { ...onThread, streamMode: 'updates' });
    for await (const chunk of stream) {
      void chunk;
      break;
    }
    const { report } = await stream.result;
    expect(report.status).not.toBe('complete');
    const [record] = await made.ledger.runs({ runId: report.runId });
    expect(record?.ended).toBeUndefined();
  });

  it('that cannot be written down rejects for both', async () => {
    const made = desk();
    await made.ledger.close();
    const stream = made.guard.stream(agentOf(made, says('Never.')), hello(), onThread);
    const read = async () => {
      for await (const chunk of stream) void chunk;
    };
    await expect(read()).rejects.toSatisfy(isLedgerError);
    await expect(stream.result).rejects.toSatisfy(isLedgerError);
  });
});
