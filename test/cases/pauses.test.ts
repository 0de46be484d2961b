/** A person is asked in the middle of a run: a pause is no failure, and repeats nothing. */
import { Command } from '@langchain/langgraph';
import { type AgentMiddleware, toolRetryMiddleware } from 'langchain';
import { describe, expect, it } from 'vitest';
import { agentKinds, agentWithMiddleware } from '../support/agents.js';
import { answerTo, asked, onThread, scene } from '../support/scene.js';
import { asks, asksFor, says } from '../support/scripted-model.js';

describe.each(agentKinds)('$name', (kind) => {
  it('LG-18: a tool that asks a person is paused at its first attempt and resumed', async () => {
    const { world, rows, events, process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('approve', { what: 'ship it' }, 'c1'),
      says('Shipped.'),
    ]);
    const paused = await guard.run(agent, asked('Ship it.'), onThread);
    expect(paused.report.status).toBe('interrupted');
    expect(paused.interrupts).toMatchObject([{ value: { question: 'May I ship it?' } }]);
    expect(events.of('attempt_finished').map(({ outcome }) => outcome)).toEqual(['suspended']);
    expect((await rows()).map(({ state }) => state)).toEqual(['suspended']);
    expect(world.deeds).toEqual([]);

    const done = await guard.run(agent, new Command({ resume: 'yes' }), onThread);
    expect(done.report.status).toBe('complete');
    expect(done.interrupts).toEqual([]);
    expect(answerTo('c1', done.output).text).toBe('approved: yes');
    expect(world.count('approve')).toBe(1);
    expect(events.of('attempt_started').map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(events.of('retry_scheduled')).toEqual([]);
  });

  it('LG-18: the pause outlives its process', async () => {
    const { world, process } = scene();
    const a = process(kind, [asksFor('approve', { what: 'ship it' }, 'c1')]);
    await a.agent.invoke(asked('Ship it.'), onThread);

    const b = process(kind, [says('Shipped.')]);
    const waiting = await b.guard.resume(b.agent, onThread);
    expect(waiting.report.status).toBe('interrupted');
    expect(waiting.interrupts).toMatchObject([{ value: { question: 'May I ship it?' } }]);
    const done = await b.agent.invoke(new Command({ resume: 'yes' }), onThread);
    expect(answerTo('c1', done).text).toBe('approved: yes');
    expect(world.count('approve')).toBe(1);
  });

  it('DU-04: siblings of a call that asks are done once, before or after the answer', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(kind, [
      asks(
        'm1',
        { name: 'notify', args: { who: 'ann' }, id: 'c1' },
        { name: 'approve', args: { what: 'ship it' }, id: 'c2' },
        { name: 'notify', args: { who: 'bob' }, id: 'c3' },
      ),
      says('Shipped.'),
    ]);
    const paused = await guard.run(agent, asked('Ship it.'), onThread);
    expect(paused.report.status).toBe('interrupted');

    const done = await guard.run(agent, new Command({ resume: 'yes' }), onThread);
    expect(done.report.status).toBe('complete');
    expect(world.count('notify', { who: 'ann' })).toBe(1);
    expect(world.count('notify', { who: 'bob' })).toBe(1);
    expect(world.count('approve')).toBe(1);
    expect(['c1', 'c2', 'c3'].map((id) => answerTo(id, done.output).text)).toEqual([
      expect.stringMatching(/^\{"receipt":[12]\}$/),
      'approved: yes',
      expect.stringMatching(/^\{"receipt":[12]\}$/),
    ]);
    const order = done.output?.messages.flatMap((message) =>
      'tool_call_id' in message ? [message.tool_call_id] : [],
    );
    expect(order).toEqual(['c1', 'c2', 'c3']);
  });
  it('a question that nobody answered does not block the wish: a later request asks again', async () => {
    const { world, rows, process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('approve', { what: 'ship it' }, 'c1'),
      asksFor('approve', { what: 'ship it' }, 'c2'),
      says('Shipped.'),
    ]);
    await guard.run(agent, asked('Ship it.'), onThread);
    const again = await guard.run(agent, asked('Hello? Please ship it now.'), onThread);
    expect(again.report.status).toBe('interrupted');
    const done = await guard.run(agent, new Command({ resume: 'yes' }), onThread);
    expect(answerTo('c2', done.output).text).toBe('approved: yes');
    expect(world.count('approve')).toBe(1);
    expect((await rows()).map(({ state }) => state)).toEqual(['failed', 'succeeded']);
  });
});

describe('LG-18: a retrying middleware of LangChain', () => {
  const retry = toolRetryMiddleware({ initialDelayMs: 1, jitter: false }) as AgentMiddleware;
  const sayings = [asksFor('approve', { what: 'ship it' }, 'c1'), says('Shipped.')];

  it('inside the guard does not swallow the pause', async () => {
    const { world, events, process } = scene();
    const { guard, agent } = process(agentWithMiddleware, sayings, { inner: [retry] });
    const paused = await guard.run(agent, asked('Ship it.'), onThread);
    expect(paused.interrupts).toMatchObject([{ value: { question: 'May I ship it?' } }]);
    expect(events.of('attempt_started')).toHaveLength(1);
    const done = await guard.run(agent, new Command({ resume: 'yes' }), onThread);
    expect(answerTo('c1', done.output).text).toBe('approved: yes');
    expect(world.count('approve')).toBe(1);
  });

  it('around the guard does, without an effect: no guard inside it can help that', async () => {
    // LangChain's own; `retries_below` warns of it. The middleware asks three times and gives up.
    const { world, events, process } = scene();
    const { guard, agent } = process(agentWithMiddleware, sayings, { outer: [retry] });
    const { interrupts } = await guard.run(agent, asked('Ship it.'), onThread);
    expect(interrupts).toEqual([]);
    expect(world.deeds).toEqual([]);
    expect(events.of('attempt_finished').map(({ outcome }) => outcome)).toEqual([
      'suspended',
      'suspended',
      'suspended',
    ]);
  });
});
