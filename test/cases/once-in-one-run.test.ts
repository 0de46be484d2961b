/** Equal wishes inside one request: which of them act, and what the model is told of the others. */
import { RemoveMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { caseTools } from '../support/case-tools.js';
import { answerTo, asked, failureIn, lastOf, onThread, scene } from '../support/scene.js';
import { asks, asksFor, type Saying, ScriptedModel, says } from '../support/scripted-model.js';

const mail = (to: string): Record<string, unknown> => ({ to, subject: 'Hello' });

describe.each(agentKinds)('$name', (kind) => {
  it('LG-11: two equal calls of one message act once, and the second is told so', async () => {
    const { world, process } = scene();
    const { guard, agent, model } = process(kind, [
      asks(
        'm1',
        { name: 'send_mail', args: { to: 'a@x', subject: 'Hello' }, id: 'c1' },
        { name: 'send_mail', args: { subject: 'Hello', to: 'a@x' }, id: 'c2' },
      ),
      says('Done.'),
    ]);
    const { output, report } = await guard.run(agent, asked('Mail A.'), onThread);
    expect(world.count('send_mail')).toBe(1);
    expect(report.status).toBe('complete');
    const [first, second] = [answerTo('c1', output), answerTo('c2', output)];
    expect(first.text).toBe('{"receipt":1}');
    expect(second.text).toBe(
      '{"receipt":1}\n[This was already done by an equal call. It was not done again.]',
    );
    expect(second.metadata?.holdfast).toMatchObject({ folded: 'folded' });
    expect(model.told[1]?.at(-1)?.text).toContain('It was not done again.');
  });

  // A tool that a flow calls cannot see which message asked for it, nor what stands beside it there.
  it.skipIf(kind.modelNode === undefined)(
    'LG-11: two equal calls are two where the entry says that they are meant',
    async () => {
      const { world, process } = scene();
      const ring = (id: string) => ({ name: 'ring', args: { bell: 'front' }, id });
      const { guard, agent } = process(kind, [asks('m1', ring('c1'), ring('c2')), says('Rung.')]);
      const { output, report } = await guard.run(agent, asked('Ring twice.'), onThread);
      expect(world.count('ring')).toBe(2);
      expect([answerTo('c1', output), answerTo('c2', output)].map(({ text }) => text)).toEqual([
        '{"receipt":1}',
        '{"receipt":2}',
      ]);
      expect(report.done).toHaveLength(2);
    },
  );

  it('LG-11: two equal reads of one message each read', async () => {
    // The case wants one shared read. The page folds by wish, and a read has none: it costs nothing to
    // repeat and may answer differently, so the page stands.
    const { world, process } = scene();
    const read = { name: 'get_order', args: { orderId: 'o1' } };
    const { guard, agent } = process(kind, [
      asks('m1', { ...read, id: 'c1' }, { ...read, id: 'c2' }),
      says('Done.'),
    ]);
    const { output } = await guard.run(agent, asked('Look.'), onThread);
    expect(world.count('get_order')).toBe(2);
    expect(answerTo('c2', output).status).toBe('success');
  });

  it('mail to A, to B, to A mails A once', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('send_mail', mail('a@x'), 'c1'),
      asksFor('send_mail', mail('b@x'), 'c2'),
      asksFor('send_mail', mail('a@x'), 'c3'),
      says('Done.'),
    ]);
    const { output } = await guard.run(agent, asked('Mail them.'), onThread);
    expect(world.deeds.map(({ args }) => args.to)).toEqual(['a@x', 'b@x']);
    expect(answerTo('c3', output).text).toContain('It was not done again.');
  });

  it('a slot set to A, to B, to A is set three times, with three keys', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('set_slot', { orderId: 'o1', slot: 'A' }, 'c1'),
      asksFor('set_slot', { orderId: 'o1', slot: 'B' }, 'c2'),
      asksFor('set_slot', { orderId: 'o1', slot: 'A' }, 'c3'),
      says('Done.'),
    ]);
    const { report } = await guard.run(agent, asked('Move it about.'), onThread);
    expect(world.deeds.map(({ args }) => args.slot)).toEqual(['A', 'B', 'A']);
    expect(new Set(world.deeds.map(({ key }) => key)).size).toBe(3);
    expect(report.done).toHaveLength(3);
  });

  it('LG-05: a write that timed out is tried once, and nobody is told to call it again', async () => {
    const { world, events, process } = scene();
    const { guard, agent } = process(
      kind,
      [asksFor('charge', { orderId: 'o1', amount: 5 }, 'c1'), says('I do not know.')],
      { afterwards: { charge: timesOut } },
    );
    const { output, report } = await guard.run(agent, asked('Charge it.'), onThread);
    expect(world.count('charge')).toBe(1);
    expect(events.of('attempt_started')).toHaveLength(1);
    const answer = answerTo('c1', output);
    // The case calls the first answer OUTCOME_UNKNOWN; the page names what was seen, with the effect.
    expect(failureIn(answer)).toBe('transport_lost');
    expect(answer.artifact).toMatchObject({
      effect: 'unknown',
      next: { by: 'nobody', advice: 'hand_off' },
      attempts: 1,
    });
    expect(answer.status).toBe('error');
    expect(answer.text).toContain('do not repeat this call');
    expect(report.status).toBe('partial');
  });

  it('LG-05: a read that timed out is tried again, within its tries', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(
      kind,
      [asksFor('get_order', { orderId: 'o1' }, 'c1'), says('Here.')],
      { afterwards: { get_order: (receipt) => (receipt < 3 ? timesOut() : undefined) } },
    );
    const { output, report } = await guard.run(agent, asked('Look.'), onThread);
    expect(world.count('get_order')).toBe(3);
    expect(answerTo('c1', output).text).toBe('{"receipt":3}');
    expect(report.status).toBe('complete');
  });

  it('DU-07: an equal call with a fresh id meets the unknown outcome', async () => {
    const { world, process } = scene();
    const args = { orderId: 'o1', amount: 5 };
    const { guard, agent } = process(
      kind,
      [asksFor('charge', args, 'c1'), asksFor('charge', args, 'c2'), says('It is being checked.')],
      { afterwards: { charge: timesOut } },
    );
    const { output, report } = await guard.run(agent, asked('Charge it.'), onThread);
    expect(world.count('charge')).toBe(1);
    const second = answerTo('c2', output);
    expect(failureIn(second)).toBe('outcome_unknown');
    expect(second.text).toContain('Nothing was sent now.');
    expect(report.notDone).toHaveLength(1);
    expect(lastOf(output)).toBe('It is being checked.');
  });

  it('DU-15: agents that begin again without their conversation do nothing again', async () => {
    const { world, guard: make } = scene();
    const guard = make();
    const network = { configurable: { intent_id: 'order 7' } };
    const charge = { orderId: 'o1', amount: 5 };
    // Nothing keeps the conversation: each beginning has an empty one.
    const begin = (...sayings: readonly Saying[]) =>
      kind.make({ guard, model: new ScriptedModel(sayings), tools: caseTools(world) });
    const first = begin(asksFor('charge', charge, 'c1'), says('Charged.'));
    await guard.run(first, asked('Charge order 1.'), network);
    const second = begin(asksFor('charge', charge, 'c2'), says('Charged.'));
    const again = await guard.run(second, asked('Charge order 1, please.'), network);
    expect(answerTo('c2', again.output).text).toMatch(/^\{"receipt":1\}\n\[This was already done/);
    expect(world.count('charge')).toBe(1);

    // One that does not even ask for it has it in its report.
    const third = begin(says('All is done.'));
    const { report } = await guard.run(third, asked('Is all done?'), network);
    expect(report.done).toMatchObject([{ tool: 'charge' }]);
  });

  it('DU-08: a reworded memo is the same payment, another amount another one', async () => {
    const { world, process } = scene();
    const invoice = { payee: 'p1', amount: 5, invoice: 'i1' };
    const { guard, agent } = process(kind, [
      asksFor('pay', { ...invoice, memo: 'for May' }, 'c1'),
      asksFor('pay', { ...invoice, memo: 'the May invoice' }, 'c2'),
      asksFor('pay', { ...invoice, payee: 'p2', memo: 'for May' }, 'c3'),
      says('Paid.'),
    ]);
    const { output, report } = await guard.run(agent, asked('Pay them.'), onThread);
    expect(world.deeds.map(({ args }) => args.payee)).toEqual(['p1', 'p2']);
    expect(answerTo('c2', output).text).toContain('It was not done again.');
    expect(report.done).toHaveLength(2);
  });

  it('an undeclared tool that timed out is stopped in this run and not in the next', async () => {
    const { world, process } = scene();
    const args = { what: 'all' };
    const { guard, agent } = process(
      kind,
      [
        asksFor('legacy_sync', args, 'c1'),
        asksFor('legacy_sync', args, 'c2'),
        says('It is not certain.'),
        asksFor('legacy_sync', args, 'c3'),
        says('Done.'),
      ],
      { afterwards: { legacy_sync: (receipt) => (receipt === 1 ? timesOut() : undefined) } },
    );
    const first = await guard.run(agent, asked('Synchronize.'), onThread);
    expect(failureIn(answerTo('c2', first.output))).toBe('outcome_unknown');
    expect(world.count('legacy_sync')).toBe(1);

    const next = await guard.run(agent, asked('Please synchronize again.'), onThread);
    expect(world.count('legacy_sync')).toBe(2);
    expect(answerTo('c3', next.output).text).toContain('outcome_unknown');
    expect(next.report.status).toBe('complete');
  });
  it('DU-29: a run that left a wish undone is partial, and the same request later repeats nothing of it', async () => {
    const { world, process } = scene();
    let refused = true;
    const afterwards = {
      charge: () => {
        if (!refused) return undefined;
        throw Object.assign(new Error('card expired'), { status: 422 });
      },
    };
    const charge = (orderId: string): Record<string, unknown> => ({ orderId, amount: 5 });
    const sayings = (turn: string) => [
      asksFor('send_mail', mail('a@x'), `${turn}-1`),
      asksFor('charge', charge('o1'), `${turn}-2`),
      asksFor('charge', charge('o2'), `${turn}-3`),
      says('That is what I could do.'),
    ];
    const request = asked('Mail A, charge both.');
    const a = process(kind, sayings('a'), { afterwards });
    const first = await a.guard.run(a.agent, request, onThread);
    expect(first.report.status).toBe('partial');

    refused = false;
    const b = process(kind, sayings('b'), { afterwards });
    const second = await b.guard.run(b.agent, asked('Mail A, charge both.'), onThread);
    expect(second.report.runId).toBe(first.report.runId);
    expect(second.report.status).toBe('complete');
    expect(world.count('send_mail')).toBe(1);
  });

  it('another wish of the same tool does not make a refused one good', async () => {
    const { process } = scene();
    let charges = 0;
    const { guard, agent } = process(
      kind,
      [
        asksFor('charge', { orderId: 'o1', amount: 5 }, 'c1'),
        asksFor('charge', { orderId: 'o2', amount: 5 }, 'c2'),
        says('Charged.'),
      ],
      {
        afterwards: {
          charge: () => {
            charges += 1;
            if (charges > 1) return undefined;
            throw Object.assign(new Error('card expired'), { status: 422 });
          },
        },
      },
    );
    const { report } = await guard.run(agent, asked('Charge both.'), onThread);
    expect(report.status).toBe('partial');
    expect(report.notDone).toMatchObject([{ tool: 'charge', kind: 'business_error' }]);
  });

  it('DU-29: an equal request of a later turn is a new wish, also where the history was trimmed', async () => {
    const { world, process } = scene();
    const { agent } = process(kind, [
      asksFor('notify', { who: 'ann' }, 'c1'),
      says('Notified.'),
      asksFor('notify', { who: 'ann' }, 'c2'),
      says('Notified again.'),
    ]);
    const first = await agent.invoke(asked('The daily notice, please.'), onThread);
    const trimmed = first.messages.map((message) => new RemoveMessage({ id: message.id ?? '' }));
    const next = asked('The daily notice, it is Tuesday.').messages;
    await agent.invoke({ messages: [...trimmed, ...next] }, onThread);
    expect(world.count('notify')).toBe(2);
  });
});

it('DU-08: a key that the caller gave for one call, with other arguments, is a conflict', async () => {
  const { guard: make } = scene();
  const guard = make();
  const pay = (amount: number, callId: string) =>
    guard.call(
      { tool: 'pay', args: { payee: 'p1', amount, invoice: 'i1' }, callId, callKey: 'k1' },
      async () => 'paid',
    );
  const answers = await guard.inRun({ intentId: 'i1' }, async () => [
    await pay(5, 'c1'),
    await pay(5, 'c2'),
    await pay(6, 'c3'),
  ]);
  expect(answers.map((answer) => (answer.ok ? answer.folded : answer.failure.kind))).toEqual([
    false,
    'folded',
    'intent_conflict',
  ]);
});

function timesOut(): never {
  throw Object.assign(new Error('no answer in time'), { name: 'TimeoutError' });
}
