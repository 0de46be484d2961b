/** Courses of a conversation that were left on purpose, and what was done on them. */
import { Command } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { answerTo, asked, checkpointBefore, failureIn, onThread, scene } from '../support/scene.js';
import { asks, asksFor, says } from '../support/scripted-model.js';

const five = { payee: 'p1', amount: 5, invoice: 'i1', memo: 'for May' };
/** The same transfer, worded anew. */
const again = { ...five, memo: 'invoice i1, May' };

// A flow of tasks has no checkpoint between its model and its tools.
const kinds = agentKinds.flatMap((kind) =>
  kind.modelNode === undefined ? [] : [{ ...kind, modelNode: kind.modelNode }],
);

describe.each(kinds)('$name', (kind) => {
  /** A transfer that was executed, and the checkpoint before the model asked for it. */
  async function paid(...more: ReturnType<typeof says>[]) {
    const made = scene();
    const a = made.process(kind, [asksFor('pay', five, 'c1'), says('Paid.'), ...more]);
    await a.guard.run(a.agent, asked('Pay it.'), onThread);
    return { ...made, ...a, before: await checkpointBefore(kind.modelNode, a.agent) };
  }

  it.each([
    ['worded anew', again],
    ['with a token that is used up', { ...five, oneTimeToken: 'T-1' }],
  ])(
    'DU-06: what was done on a course that was left is neither done again nor taken over in silence, %s',
    async (_, transfer) => {
      const { world, guard, agent, rows, before } = await paid(
        asksFor('pay', transfer, 'c2'),
        says('A person has to decide.'),
      );
      const { report, output } = await guard.run(agent, null, before);
      const answer = answerTo('c2', output);
      expect(failureIn(answer)).toBe('fork_conflict');
      const [row] = await rows();
      expect(answer.artifact).toMatchObject({
        effect: 'none',
        next: { by: 'user', advice: 'confirm' },
        details: { key: row?.key, checkpointId: row?.place.checkpointId },
      });
      expect(report).toMatchObject({ status: 'partial', notDone: [{ kind: 'fork_conflict' }] });
      expect(world.count('pay')).toBe(1);
    },
  );

  it('DU-06: a person reuses what there is', async () => {
    const { world, clock, guard, agent, before } = await paid(
      asksFor('pay', again, 'c2'),
      says('A person has to decide.'),
      asksFor('pay', again, 'c3'),
      says('Paid before.'),
    );
    await guard.run(agent, null, before);
    clock.pass(1_000);
    await guard.approve({ threadId: 'T1', callId: 'c2', decision: 'reuse', by: 'ann' });
    const output = await agent.invoke(null, before);
    expect(answerTo('c3', output).text).toContain('It was not done again.');
    expect(world.count('pay')).toBe(1);
  });

  it('DU-06: a person wants it once more: a new generation, once', async () => {
    const { world, clock, guard, agent, rows, before } = await paid(
      asksFor('pay', again, 'c2'),
      says('A person has to decide.'),
      asksFor('pay', again, 'c3'),
      asksFor('pay', again, 'c4'),
      says('Paid twice.'),
    );
    await guard.run(agent, null, before);
    clock.pass(1_000);
    await guard.approve({ threadId: 'T1', callId: 'c2', decision: 'again', by: 'ann' });
    const output = await agent.invoke(null, before);
    expect(answerTo('c3', output).text).toBe('{"receipt":2}');
    // The same course: it is what the next equal call meets.
    expect(answerTo('c4', output).text).toContain('It was not done again.');
    expect((await rows()).map(({ generation }) => generation)).toEqual([0, 1]);
    expect(world.count('pay')).toBe(2);
  });

  it('DU-06: an outcome that is unknown on the course that was left stops it as well', async () => {
    const { world, process, rows } = scene();
    const { guard, agent } = process(
      kind,
      [
        asksFor('pay', five, 'c1'),
        says('Unknown.'),
        asksFor('pay', again, 'c2'),
        says('A person has to decide.'),
      ],
      {
        afterwards: {
          pay: () => {
            throw new Error('it broke');
          },
        },
      },
    );
    await guard.run(agent, asked('Pay it.'), onThread);
    expect((await rows()).map(({ state }) => state)).toEqual(['unknown']);
    const output = await agent.invoke(null, await checkpointBefore(kind.modelNode, agent));
    expect(failureIn(answerTo('c2', output))).toBe('fork_conflict');
    expect(world.count('pay')).toBe(1);
  });

  it('an update of the newest checkpoint is no fork', async () => {
    const { world, process } = scene();
    const config = { configurable: { ...onThread.configurable, intent_id: 'order 7' } };
    const a = process(kind, [asksFor('pay', five, 'c1'), says('Paid.')]);
    await a.guard.run(a.agent, asked('Pay it.'), config);
    await a.agent.updateState(onThread, { messages: [says('By the way.')] }, kind.modelNode);
    const b = process(kind, [asksFor('pay', again, 'c2'), says('Paid before.')]);
    const { output } = await b.guard.run(b.agent, asked('Pay it, please.'), config);
    expect(answerTo('c2', output).text).toContain('It was not done again.');
    expect(world.count('pay')).toBe(1);
  });

  it('a resume that is addressed to the newest checkpoint is no fork', async () => {
    const { world, process } = scene();
    const a = process(kind, [
      asksFor('pay', five, 'c1'),
      asksFor('approve', { what: 'go on' }, 'c2'),
    ]);
    await a.agent.invoke(asked('Pay it, then ask.'), onThread);
    const b = process(kind, [asksFor('pay', again, 'c3'), says('Done.')]);
    const head = (await b.agent.getState(onThread)).config;
    const output = await b.agent.invoke(new Command({ resume: 'yes' }), head);
    expect(answerTo('c3', output).text).toContain('It was not done again.');
    expect(world.count('pay')).toBe(1);
  });

  it('what a course did is told, with what could take it back', async () => {
    const { guard, agent, rows, before } = await paid(
      asks(
        'm2',
        { name: 'notify', args: { who: 'ann' }, id: 'c2' },
        { name: 'get_order', args: { orderId: 'o1' }, id: 'c3' },
      ),
      says('Told her.'),
    );
    const from = String(before.configurable?.checkpoint_id);
    await guard.run(agent, null, before);
    const [pay, notify] = await rows();
    expect(await guard.effectsSince('T1', from)).toEqual([
      {
        key: pay?.key,
        tool: 'pay',
        callId: 'c1',
        runId: pay?.runId,
        checkpointId: pay?.place.checkpointId,
        state: 'succeeded',
        startedAt: pay?.attempts[0]?.startedAt,
        settlement: 'open',
        undo: 'none',
      },
      expect.objectContaining({ key: notify?.key, tool: 'notify', callId: 'c2' }),
    ]);
    const later = String(notify?.place.checkpointId);
    expect(await guard.effectsSince('T1', later)).toMatchObject([{ tool: 'notify' }]);
    expect(await guard.effectsSince('T2', from)).toEqual([]);
  });
});
