import { HumanMessage } from '@langchain/core/messages';
import { Annotation, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { asksFor, mailTool, ScriptedModel, says } from './adapter.fixture.js';
import { snapshotOf } from './snapshot.js';

const onThread = { configurable: { thread_id: 'T1' } };

function steps(saver?: MemorySaver) {
  return new StateGraph(Annotation.Root({ said: Annotation<string> }))
    .addNode('ask', () => ({ said: interrupt('Well?') as string }))
    .addNode('end', () => ({}))
    .addEdge(START, 'ask')
    .addEdge('ask', 'end')
    .compile(saver === undefined ? {} : { checkpointer: saver });
}

describe('a snapshot', () => {
  it('is not there without thread, checkpointer, checkpoint or state', async () => {
    expect(await snapshotOf(steps(new MemorySaver()), {})).toBeUndefined();
    expect(await snapshotOf(steps(), onThread)).toBeUndefined();
    expect(await snapshotOf(steps(new MemorySaver()), onThread)).toBeUndefined();
    expect(await snapshotOf({ invoke: async () => 1 }, onThread)).toBeUndefined();
  });

  it('shows what a graph waits for', async () => {
    const graph = steps(new MemorySaver());
    await graph.invoke({ said: '' }, onThread);
    expect(await snapshotOf(graph, onThread)).toMatchObject({
      ended: false,
      interrupts: [{ value: 'Well?' }],
      step: 0,
      checkpointId: expect.any(String),
    });
  });

  it('of an agent shows its end', async () => {
    const agent = createAgent({
      model: new ScriptedModel([asksFor('send_mail', { to: 'a' }, 'c1'), says('Done.')]),
      tools: [mailTool([])],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke({ messages: [new HumanMessage('Mail A.')] }, onThread);
    expect(await snapshotOf(agent, onThread)).toMatchObject({ ended: true, interrupts: [] });
  });

  it('is not at its end where results lie beside the checkpoint', async () => {
    const saver = new MemorySaver();
    // As a process leaves it that is killed between the two writes.
    const put = saver.put.bind(saver);
    let puts = 0;
    saver.put = async (...given) => {
      puts += 1;
      return puts > 2 ? new Promise(() => {}) : put(...given);
    };
    const agent = createAgent({
      model: new ScriptedModel([says('Done.')]),
      tools: [],
      checkpointer: saver,
    });
    const landed = new Promise<void>((resolve) => {
      const putWrites = saver.putWrites.bind(saver);
      saver.putWrites = async (...given) => {
        await putWrites(...given);
        if (given[1].some(([, value]) => Array.isArray(value))) resolve();
      };
    });
    void agent.invoke({ messages: [new HumanMessage('Hi.')] }, onThread);
    await landed;
    const state = await agent.graph.getState(onThread);
    expect(state.next).toEqual([]);
    expect(await snapshotOf(agent, onThread)).toMatchObject({ ended: false });
  });
});
