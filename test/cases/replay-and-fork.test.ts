/** Time travel: what the ledger says when LangGraph runs a tool again that has run. */
import { describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { answerTo, asked, checkpointBefore, failureIn, onThread, scene } from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const five = { payee: 'p1', amount: 5, invoice: 'i1' };

describe.each(agentKinds)('$name', (kind) => {
  // A flow of tasks has no checkpoint between its model and its tools.
  const travels = it.skipIf(kind.modelNode === undefined);

  travels(
    'LG-12: a replay answers from the ledger, however often, in this process and in another',
    async () => {
      const { world, process } = scene();
      const a = process(kind, [
        asksFor('pay', five, 'c1'),
        says('Paid.'),
        says('Paid.'),
        says('Paid.'),
      ]);
      const first = await a.guard.run(a.agent, asked('Pay it.'), onThread);
      const before = await checkpointBefore('tools', a.agent);

      const replay = await a.guard.run(a.agent, null, before);
      const plain = await a.agent.invoke(null, before);
      const b = process(kind, [says('Paid.')]);
      const elsewhere = await b.agent.invoke(null, before);

      expect(world.count('pay')).toBe(1);
      for (const output of [first.output, replay.output, plain, elsewhere]) {
        expect(answerTo('c1', output).text).toBe('{"receipt":1}');
      }
      expect(b.guard.counts()).toMatchObject({ effect_folded: 1, effect_declared: 0 });
      // The case's explicit `replayPolicy: "execute"` is not in the pages.
    },
  );

  travels(
    'LG-12, DU-06: a replay from before the model meets the same wish under another call id, on the course that was left',
    async () => {
      const { world, process } = scene();
      const { guard, agent } = process(kind, [
        asksFor('pay', five, 'c1'),
        says('Paid.'),
        asksFor('pay', five, 'c2'),
        says('Paid.'),
      ]);
      await guard.run(agent, asked('Pay it.'), onThread);
      const before = await checkpointBefore(kind.modelNode ?? '', agent);
      const output = await agent.invoke(null, before);
      expect(world.count('pay')).toBe(1);
      expect(failureIn(answerTo('c2', output))).toBe('fork_conflict');
    },
  );

  travels(
    'LG-14: other arguments under the same call id are a conflict, never the old result',
    async () => {
      const { world, process } = scene();
      const { guard, agent } = process(kind, [
        asksFor('pay', five, 'c1'),
        says('Paid.'),
        says('There is a conflict.'),
      ]);
      await guard.run(agent, asked('Pay it.'), onThread);

      const edited = asksFor('pay', { ...five, amount: 99 }, 'c1');
      const before = await checkpointBefore('tools', agent);
      const fork = await agent.updateState(before, { messages: [edited] }, kind.modelNode);
      const output = await agent.invoke(null, fork);

      const answer = answerTo('c1', output);
      expect(failureIn(answer)).toBe('intent_conflict');
      expect(answer.text).toContain('effect: none');
      expect(answer.text).not.toContain('receipt');
      expect(world.deeds.map(({ args }) => args.amount)).toEqual([5]);
    },
  );

  travels('LG-14: edited arguments of a call that never ran are simply its arguments', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(kind, [asksFor('pay', five, 'c1'), says('Paid.')]);
    await guard.run(agent, asked('Pay it.'), { ...onThread, interruptBefore: ['tools'] });
    expect(world.deeds).toEqual([]);

    const edited = asksFor('pay', { ...five, amount: 99 }, 'c1');
    await agent.updateState(onThread, { messages: [edited] }, kind.modelNode);
    const output = await agent.invoke(null, onThread);
    expect(world.deeds.map(({ args }) => args.amount)).toEqual([99]);
    expect(answerTo('c1', output).text).toMatch(/^\{"receipt":1\}/);
  });

  it('a wish asked for again after it was undone is done again', async () => {
    const { world, ledger, rows, process } = scene();
    const mail = { to: 'a@x', subject: 'Hello' };
    const config = { configurable: { ...onThread.configurable, intent_id: 'order 7' } };
    const { guard, agent } = process(kind, [
      asksFor('send_mail', mail, 'c1'),
      says('Sent.'),
      asksFor('send_mail', mail, 'c2'),
      says('Sent.'),
      asksFor('send_mail', mail, 'c3'),
      says('Sent.'),
    ]);
    await guard.run(agent, asked('Mail A.'), config);
    const again = await guard.run(agent, asked('Mail A.'), config);
    expect(answerTo('c2', again.output).text).toContain('It was not done again.');

    const [row] = await rows();
    if (row === undefined) throw new Error('no row');
    const by = row.key;
    const evidence = { by: 'undo' } as const;
    for (const settled of ['compensating', 'compensated'] as const) {
      const [{ version }] = (await ledger.find({ key: row.key })) as [typeof row];
      const settlement = { settled, by };
      await ledger.move(row.key, { version }, { to: 'settled', settlement, evidence });
    }
    const third = await guard.run(agent, asked('Mail A.'), config);
    expect(answerTo('c3', third.output).text).toBe('{"receipt":2}');
    expect(world.count('send_mail')).toBe(2);
    expect((await rows()).map(({ generation }) => generation)).toEqual([0, 1]);
  });
});
