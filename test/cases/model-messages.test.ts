/** Messages of the model that are not what they should be, and conversations that lack an answer. */
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { gate, until } from '../support/gate.js';
import { answerTo, asked, failureIn, lastOf, onThread, scene } from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const charge = { name: 'charge', args: { orderId: 'o1', amount: 5 } };
const kinds = agentKinds.filter(({ guardsModel }) => guardsModel);
const unguarded = agentKinds.filter(({ guardsModel }) => !guardsModel);

/** Whether each call is answered exactly once, right after its message. */
function expectValid(messages: readonly BaseMessage[]): void {
  const answered = messages.flatMap((message, at) => {
    if (!AIMessage.isInstance(message)) return [];
    const ids = (message.tool_calls ?? []).map(({ id }) => id);
    const next = messages.slice(at + 1, at + 1 + ids.length);
    expect(next.map((one) => ToolMessage.isInstance(one) && one.tool_call_id)).toEqual(ids);
    return next;
  });
  expect(messages.filter((message) => message.getType() === 'tool')).toEqual(answered);
}

describe.each(kinds)('$name', (kind) => {
  // A flow of tasks keeps its messages only when it ends.
  const keepsMessages = it.skipIf(kind.modelNode === undefined);

  keepsMessages(
    'LG-43: after a run that was aborted the next message finds a valid history',
    async () => {
      const { world, events, process } = scene();
      const done = gate();
      const { agent, model } = process(
        kind,
        [asksFor('charge', charge.args, 'c1'), says('It is being checked.')],
        { afterwards: { charge: () => done.opened } },
      );
      const user = new AbortController();
      const aborted = agent.invoke(asked('Charge it.'), { ...onThread, signal: user.signal });
      await until(() => world.count('charge') === 1);
      user.abort();
      await expect(aborted).rejects.toThrow();
      await agent.invoke(asked('What happened?'), onThread);
      const told = model.told[1] ?? [];
      expectValid(told);
      expect(told.map((message) => message.getType()).slice(0, 4)).toEqual([
        'human',
        'ai',
        'tool',
        'human',
      ]);
      expect(told[2]?.text).toContain('status: outcome_unknown');
      expect(events.of('history_repaired')).toMatchObject([{ what: 'answer added', callId: 'c1' }]);
      expect(world.count('charge')).toBe(1);
      done.open();
    },
  );

  keepsMessages(
    'LG-52: a call that never began is superseded by a new message, and not made later',
    async () => {
      const { world, process } = scene();
      const { agent, model } = process(kind, [
        asksFor('charge', charge.args, 'c1'),
        says('It was not charged.'),
      ]);
      await agent.invoke(asked('Charge it.'), { ...onThread, interruptBefore: ['tools'] });
      await agent.invoke(asked('Stop, what is open?'), onThread);
      const told = model.told[1] ?? [];
      expectValid(told);
      expect(told[2]?.text).toMatch(
        /effect: none\ncharge was not called: the conversation went on/,
      );
      expect(world.deeds).toEqual([]);
    },
  );

  it('LG-47: a call that cannot be read is answered, and the run goes on', async () => {
    const { world, process } = scene();
    const { guard, agent, model } = process(kind, [
      new AIMessage({
        id: 'm1',
        content: '',
        invalid_tool_calls: [{ name: 'charge', args: '{"orderId": "o1", ', id: 'c1' }],
      }),
      asksFor('charge', charge.args, 'c2'),
      says('Charged.'),
    ]);
    const { output, report } = await guard.run(agent, asked('Charge it.'), onThread);
    const answer = answerTo('c1', output);
    expect(failureIn(answer)).toBe('malformed_call');
    expect(answer.text).toContain('{"orderId": "o1",');
    expect(answer.text).toContain('next: correct the call.');
    expect(world.count('charge')).toBe(1);
    expect(lastOf(output)).toBe('Charged.');
    expect(report.status).toBe('complete');
    for (const told of model.told) expectValid(told);
  });

  it('LG-47: beside one that can be read both are answered', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(kind, [
      new AIMessage({
        id: 'm1',
        content: '',
        tool_calls: [{ type: 'tool_call', name: 'notify', args: { who: 'ann' }, id: 'c1' }],
        invalid_tool_calls: [{ name: 'notify', args: '{"who":', id: 'c2' }],
      }),
      says('One of two.'),
    ]);
    const { output } = await guard.run(agent, asked('Tell both.'), onThread);
    expect(answerTo('c1', output).status).toBe('success');
    expect(failureIn(answerTo('c2', output))).toBe('malformed_call');
    expect(world.count('notify')).toBe(1);
  });

  it('LG-50: calls without an id get one of their own', async () => {
    const { world, process } = scene();
    const call = (who: string) => ({ type: 'tool_call' as const, name: 'notify', args: { who } });
    const { guard, agent, model } = process(kind, [
      new AIMessage({ id: 'm1', content: '', tool_calls: [call('ann'), call('bob')] }),
      new AIMessage({ id: 'm2', content: '', tool_calls: [call('cid')] }),
      says('Told.'),
    ]);
    const { output } = await guard.run(agent, asked('Tell them.'), onThread);
    const ids = (output?.messages ?? []).flatMap((message) =>
      ToolMessage.isInstance(message) ? [message.tool_call_id] : [],
    );
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(world.deeds.map(({ args }) => args.who).sort()).toEqual(['ann', 'bob', 'cid']);
    expectValid(output?.messages ?? []);
    for (const told of model.told) expectValid(told);
  });

  it('LG-50: ids that a provider would refuse are told to it in another form', async () => {
    const { process } = scene();
    const { agent, model } = process(kind, [
      asksFor('get_order', { orderId: 'o1' }, 'functions.get_order:0|x'),
      says('Here.'),
    ]);
    const output = await agent.invoke(asked('Look.'), onThread);
    expect(answerTo('functions.get_order:0|x', output).status).toBe('success');
    const told = model.told[1] ?? [];
    expectValid(told);
    expect(told[2]).toMatchObject({ tool_call_id: expect.stringMatching(/^call_[0-9a-f]{24}$/) });
  });
});

describe.each(agentKinds)('$name', (kind) => {
  it.each([
    ['length', { finish_reason: 'length' }],
    ['max_tokens', { stop_reason: 'max_tokens' }],
  ])(
    'LG-49: nothing is done from a message that ended with %s, reads are',
    async (reason, metadata) => {
      const { world, process } = scene();
      const message = new AIMessage({
        id: 'm1',
        content: '',
        tool_calls: [
          { type: 'tool_call', ...charge, id: 'c1' },
          { type: 'tool_call', name: 'get_order', args: { orderId: 'o1' }, id: 'c2' },
        ],
        response_metadata: metadata,
      });
      const { guard, agent } = process(kind, [message, says('Cut off.')]);
      const { output, report } = await guard.run(agent, asked('Charge it.'), onThread);
      const answer = answerTo('c1', output);
      expect(failureIn(answer)).toBe('output_truncated');
      expect(answer.text).toContain(`cut off (${reason})`);
      expect(answer.text).toContain('next: make the call in a shorter message.');
      expect(answerTo('c2', output).status).toBe('success');
      expect(world.count('charge')).toBe(0);
      expect(report).toMatchObject({ status: 'failed', notDone: [{ kind: 'output_truncated' }] });
    },
  );

  it('LG-49: five such messages in a row do nothing, and end', async () => {
    const { world, process } = scene();
    const cutOff = (n: number) =>
      new AIMessage({
        id: `m${n}`,
        content: '',
        tool_calls: [{ type: 'tool_call', ...charge, id: `c${n}` }],
        response_metadata: { finish_reason: 'length' },
      });
    const { guard, agent } = process(kind, [...[1, 2, 3, 4, 5].map(cutOff), says('I give up.')]);
    const { output } = await guard.run(agent, asked('Charge it.'), onThread);
    expect(world.count('charge')).toBe(0);
    // The loop guard takes over from the failure itself.
    expect([1, 5].map((n) => failureIn(answerTo(`c${n}`, output)))).toEqual([
      'output_truncated',
      'loop_detected',
    ]);
  });

  it('LG-31: wrong arguments are told in short, without a stack or a path', async () => {
    const { world, process } = scene();
    const { agent } = process(kind, [
      asksFor('charge', { orderId: 'o1', amount: 'five' }, 'c1'),
      says('Sorry.'),
    ]);
    const answer = answerTo('c1', await agent.invoke(asked('Charge it.'), onThread));
    expect(failureIn(answer)).toBe('invalid_arguments');
    expect(answer.text).toContain('- amount: ');
    expect(answer.text).toContain('number');
    expect(answer.text.length).toBeLessThan(400);
    expect(answer.text).not.toMatch(/node_modules|\bat \S+ \(|\.js:\d/);
    expect(answer.text).toContain('next: correct the call.');
    // All that is known stands in the artifact, which no provider gets.
    expect(answer.artifact).toMatchObject({
      details: { problems: [{ path: ['amount'], message: expect.stringContaining('number') }] },
    });
    expect(world.deeds).toEqual([]);
  });
});

describe.each(agentKinds)('$name', (kind) => {
  it('LG-31: so are those that the schema of a tool without an entry refuses', async () => {
    const { world, process } = scene();
    const { agent } = process(kind, [asksFor('legacy_sync', { what: 7 }, 'c1'), says('Sorry.')]);
    const answer = answerTo('c1', await agent.invoke(asked('Synchronize.'), onThread));
    expect(answer.status).toBe('error');
    expect(failureIn(answer)).toBe('invalid_arguments');
    expect(answer.text).toContain('what');
    expect(answer.text).toContain('string');
    expect(answer.text.length).toBeLessThan(400);
    expect(answer.text).not.toMatch(/node_modules|\bat \S+ \(|\.js:\d/);
    expect(world.deeds).toEqual([]);
  });
});

describe.each(unguarded)('$name, its model not guarded', (kind) => {
  it('LG-47: takes a message with unreadable calls only for its end, as LangGraph does', async () => {
    const { process } = scene();
    const garbled = new AIMessage({
      content: '',
      invalid_tool_calls: [{ name: 'charge', args: '{', id: 'c1' }],
    });
    const { agent } = process(kind, [garbled]);
    const { messages } = await agent.invoke(asked('Charge it.'), onThread);
    expect(messages).toHaveLength(2);
  });
});
