/** Calls that a person changed in the conversation before they ran. */
import { AIMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { type AgentMiddleware, humanInTheLoopMiddleware } from 'langchain';
import { describe, expect, it } from 'vitest';
import { agentKinds, agentWithMiddleware } from '../support/agents.js';
import { answerTo, asked, failureIn, lastOf, onThread, scene } from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const mail = (to: string) => ({ to, subject: 'Hello' });
const stopped = { ...onThread, interruptBefore: ['tools' as const] };
const told = 'to: "b@x" instead of "a@x"';

/** The newest message, as somebody edits it who keeps the rest of it. */
function edited(message: AIMessage | undefined, args: Record<string, unknown>): AIMessage {
  if (message === undefined) throw new Error('no message');
  const calls = (message.tool_calls ?? []).map((call) => ({ ...call, args }));
  const { id, content, response_metadata } = message;
  return new AIMessage({
    content,
    response_metadata,
    tool_calls: calls,
    ...(id === undefined ? {} : { id }),
  });
}

const kinds = agentKinds.flatMap((kind) =>
  kind.guardsModel && kind.modelNode !== undefined ? [{ ...kind, modelNode: kind.modelNode }] : [],
);

describe.each(kinds)('$name', (kind) => {
  it('LG-20: an edit of the state is told, and the original call is stopped when it is made again', async () => {
    const { world, ledger, process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('send_mail', mail('a@x'), 'c1'),
      asksFor('send_mail', mail('a@x'), 'c2'),
      says('Mailed B.'),
    ]);
    await guard.run(agent, asked('Mail A.'), stopped);
    expect(world.deeds).toEqual([]);
    const change = { messages: [asksFor('send_mail', mail('b@x'), 'c1')] };
    await agent.updateState(onThread, change, kind.modelNode);
    const output = await agent.invoke(null, onThread);

    expect(world.deeds.map(({ args }) => args.to)).toEqual(['b@x']);
    expect(answerTo('c1', output).text).toContain(told);
    expect(answerTo('c1', output).text).toContain('Do not make the original call again.');
    const again = answerTo('c2', output);
    expect(failureIn(again)).toBe('rejected_by_user');
    expect(again.text).toContain(
      'a person changed this call, and the changed one ran in its place',
    );
    expect(lastOf(output)).toBe('Mailed B.');
    const decisions = await ledger.decisions({ tenant: 'default', threadId: 'T1' });
    expect(decisions).toMatchObject([{ kind: 'edited', callId: 'c1', by: 'person' }]);
  });

  it('LG-20: in another process too, by the note in the message', async () => {
    const { world, process } = scene();
    const a = process(kind, [asksFor('send_mail', mail('a@x'), 'c1')]);
    await a.guard.run(a.agent, asked('Mail A.'), stopped);

    const b = process(kind, [asksFor('send_mail', mail('a@x'), 'c2'), says('Mailed B.')]);
    const { values } = await b.agent.getState(onThread);
    const messages = values.messages as readonly AIMessage[];
    const change = { messages: [edited(messages.at(-1), mail('b@x'))] };
    await b.agent.updateState(onThread, change, kind.modelNode);
    const output = await b.agent.invoke(null, onThread);
    expect(answerTo('c1', output).text).toContain(told);
    expect(failureIn(answerTo('c2', output))).toBe('rejected_by_user');
    expect(world.deeds.map(({ args }) => args.to)).toEqual(['b@x']);
  });

  it('LG-20: a later request may ask for the original', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('send_mail', mail('a@x'), 'c1'),
      says('Mailed B.'),
      asksFor('send_mail', mail('a@x'), 'c2'),
      says('Mailed A.'),
    ]);
    await guard.run(agent, asked('Mail A.'), stopped);
    const change = { messages: [asksFor('send_mail', mail('b@x'), 'c1')] };
    await agent.updateState(onThread, change, kind.modelNode);
    await guard.run(agent, null, onThread);
    const second = await guard.run(agent, asked('Now mail A, really.'), onThread);
    expect(answerTo('c2', second.output).text).toBe('{"receipt":2}');
    expect(world.deeds.map(({ args }) => args.to)).toEqual(['b@x', 'a@x']);
  });

  it('a call that nobody changed is answered without a word about it', async () => {
    const { process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('send_mail', mail('a@x'), 'c1'),
      says('Sent.'),
    ]);
    await guard.run(agent, asked('Mail A.'), stopped);
    const output = await agent.invoke(null, onThread);
    expect(answerTo('c1', output).text).toBe('{"receipt":1}');
  });
});

describe("LangChain's approval with edits", () => {
  it('LG-20: tells what was changed, and stops the original call', async () => {
    const { world, process } = scene();
    // Its options have no type that can be written down.
    const approval = humanInTheLoopMiddleware({ interruptOn: { send_mail: true } } as never);
    const { guard, agent } = process(
      agentWithMiddleware,
      [
        asksFor('send_mail', mail('a@x'), 'c1'),
        asksFor('send_mail', mail('a@x'), 'c2'),
        says('Mailed B.'),
      ],
      { outer: [approval as AgentMiddleware] },
    );
    await guard.run(agent, asked('Mail A.'), onThread);
    const decide = (...decisions: unknown[]) =>
      guard.run(agent, new Command({ resume: { decisions } }), onThread);
    const editedAction = { name: 'send_mail', args: mail('b@x') };
    const second = await decide({ type: 'edit', editedAction });
    // The original again, which somebody approves without a look.
    expect(second.interrupts).toHaveLength(1);
    const done = await decide({ type: 'approve' });
    expect(answerTo('c1', done.output).text).toContain(told);
    expect(failureIn(answerTo('c2', done.output))).toBe('rejected_by_user');
    expect(world.deeds.map(({ args }) => args.to)).toEqual(['b@x']);
  });
});
