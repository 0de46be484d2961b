import { memoryLedger } from '@holdfast/effect-ledger';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { RunControl } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { type Desk, desk, movedClock } from './adapter.fixture.js';
import { digestOf } from './turn.js';

const human = (id: string, content = 'Hi.') => new HumanMessage({ id, content });
const asked = (id: string, content?: string) => {
  const message = human(id, content);
  return { id, digest: digestOf([message]) };
};

/** The config of a task in an invocation of its own. */
function invocation(threadId?: string, more: Record<string, unknown> = {}): RunnableConfig {
  const configurable = { ...(threadId === undefined ? {} : { thread_id: threadId }), ...more };
  return { configurable, control: new RunControl() } as RunnableConfig;
}

const lookup = ({ guard }: Desk) => guard.parts.runs;

describe('the run of a call', () => {
  it('is one per invocation', async () => {
    const runs = lookup(desk());
    const config = invocation('T1');
    const [first, second] = await Promise.all([
      runs.of(config, [human('h1')]),
      runs.of(config, [human('h1')]),
    ]);
    expect(first).toBe(second);
    const again = await runs.of(invocation('T1'), [human('h1')]);
    expect(again).not.toBe(first);
    expect(again.runId).toBe(first.runId);
    expect(again.owner.id).not.toBe(first.owner.id);
  });

  it('is another one in another thread, even if a caller shares its control', async () => {
    const runs = lookup(desk());
    const config = invocation('T1');
    const other = { ...config, configurable: { thread_id: 'T2' } };
    const first = await runs.of(config, [human('h1')]);
    const second = await runs.of(other, [human('h2')]);
    expect(second.threadId).toBe('T2');
    expect(second.intentId).not.toBe(first.intentId);
  });

  it('is the same in two processes that see the same input', async () => {
    const [one, two] = [desk(), desk()];
    const first = await lookup(one).of(invocation('T1'), [human('h1')]);
    const second = await lookup(two).of(invocation('T1'), [human('h1')]);
    expect([second.runId, second.intentId]).toEqual([first.runId, first.intentId]);
    const tenant = await lookup(desk({ tenant: 'other' })).of(invocation('T1'), [human('h1')]);
    expect(tenant.runId).not.toBe(first.runId);
  });

  it('is the one that guard.run gave it', async () => {
    const made = desk();
    const { run } = await lookup(made).accept('T1', undefined, asked('h1'), []);
    const config = invocation('T1', { __holdfast_run: { run } });
    expect(await lookup(made).of(config, [human('h9')])).toBe(run);
  });

  it('is that of the caller`s intent, in whichever thread', async () => {
    const runs = lookup(desk());
    const first = await runs.of(invocation('T1', { intent_id: 'order 7' }), [human('h1')]);
    expect(first.intentId).toBe('order 7');
    await first.admit();
    const second = await runs.of(invocation('T2', { intent_id: 'order 7' }), [human('h2')]);
    expect(second.runId).toBe(first.runId);
  });

  it('cannot be derived without a message, and that is said', async () => {
    const made = desk();
    const run = await lookup(made).of(invocation('T1'), undefined);
    expect(run.threadId).toBe('T1');
    expect(made.events.of('warning').map(({ code }) => code)).toEqual(['intent_underived']);
  });

  it('without a message is the unfinished one of the thread', async () => {
    const made = desk();
    const first = await lookup(made).of(invocation('T1'), [human('h1')]);
    await first.admit();
    expect((await lookup(made).of(invocation('T1'), undefined)).runId).toBe(first.runId);
    await made.ledger.endRun(first.runId, 'complete');
    expect((await lookup(made).of(invocation('T1'), undefined)).runId).not.toBe(first.runId);
  });

  it('is found once the ledger can be read again', async () => {
    const inner = memoryLedger();
    let away = true;
    const failing = desk({
      ledger: {
        ...inner,
        runs: (query) => (away ? Promise.reject(new Error('away')) : inner.runs(query)),
      },
    });
    const config = invocation('T1');
    await expect(lookup(failing).of(config, [human('h1')])).rejects.toThrow('away');
    away = false;
    expect((await lookup(failing).of(config, [human('h1')])).threadId).toBe('T1');
  });

  it('while the ledger is closed is one that only reads can use', async () => {
    const made = desk();
    await made.ledger.close();
    const run = await lookup(made).ofCall(invocation('T1'), [human('h1')]);
    expect(run.threadId).toBe('T1');
    await expect(run.view.load()).rejects.toThrow(/closed/);
  });
});

describe('an input that says what another has said', () => {
  const answered = (id: string): BaseMessage[] => [human(id), new AIMessage('Hello.')];
  async function first(made: Desk) {
    const { run, continued } = await lookup(made).accept('T1', undefined, asked('h1'), []);
    expect(continued).toBeUndefined();
    await run.admit();
    return run;
  }
  const again = (made: Desk, messages: BaseMessage[], content?: string) =>
    lookup(made).accept('T1', undefined, asked('h2', content), messages);

  it('inherits an unfinished run', async () => {
    const made = desk();
    const { runId } = await first(made);
    const { run, continued } = await again(made, [human('h1')]);
    expect(continued?.inputId).toBe('h1');
    expect(run.runId).toBe(runId);
  });

  it('inherits it under a plain invoke as well', async () => {
    const made = desk();
    const { runId } = await first(made);
    expect((await lookup(made).of(invocation('T1'), [human('h2')])).runId).toBe(runId);
  });

  it('is a new wish where it says something else', async () => {
    const made = desk();
    const { runId } = await first(made);
    const { run, continued } = await again(made, [human('h1')], 'Something else.');
    expect(continued).toBeUndefined();
    expect(run.runId).not.toBe(runId);
  });

  it('is a new wish where the run was answered', async () => {
    const made = desk();
    await first(made);
    expect((await again(made, answered('h1'))).continued).toBeUndefined();
  });

  it('is a new wish where the run has ended', async () => {
    const made = desk();
    const { runId } = await first(made);
    await made.ledger.endRun(runId, 'complete');
    expect((await again(made, [])).continued).toBeUndefined();
  });

  it('is a new wish where nothing was heard of the run for the idle time', async () => {
    const ahead = { ms: 0 };
    const made = desk({ clock: movedClock(ahead), settings: { idleEndMs: 60_000 } });
    await first(made);
    ahead.ms = 50_000;
    expect((await again(made, [])).continued?.inputId).toBe('h1');
    ahead.ms = 120_000;
    expect((await lookup(made).accept('T1', undefined, asked('h3'), [])).continued).toBeUndefined();
  });

  it('is a new wish in another thread', async () => {
    const made = desk();
    await first(made);
    const other = await lookup(made).accept('T2', undefined, asked('h2'), []);
    expect(other.continued).toBeUndefined();
  });

  it('is the same run under the same id, however long ago', async () => {
    const made = desk();
    const { runId } = await first(made);
    await made.ledger.endRun(runId, 'complete');
    const { run } = await lookup(made).accept('T1', undefined, asked('h1'), answered('h1'));
    expect(run.runId).toBe(runId);
  });
});
