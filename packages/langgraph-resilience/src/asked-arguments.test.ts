import { AIMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { desk, ScriptedModel, toolCall } from './adapter.fixture.js';
import { withAsked, withNoteOfAsked } from './asked-arguments.js';

const noteIn = (message: AIMessage): unknown => message.response_metadata.holdfast;
const calls = () =>
  new AIMessage({
    id: 'm1',
    content: '',
    response_metadata: { model: 'scripted' },
    tool_calls: [
      toolCall('send_mail', { to: 'a' }, 'c1'),
      toolCall('look_up', { id: 'x' }, 'c2'),
      toolCall('nobody', { what: 'y' }, 'c3'),
    ],
  });

describe('the note of what a model asked for', () => {
  it('is made of calls with effects, beside what the provider said', async () => {
    const { guard } = desk();
    const answer = await guard.model(new ScriptedModel([calls()])).invoke('Hi.');
    expect(answer.response_metadata).toMatchObject({
      model: 'scripted',
      holdfast: { asked: { c1: { name: 'send_mail', args: { to: 'a' } } } },
    });
    expect(Object.keys(Reflect.get(Object(noteIn(answer)), 'asked'))).toEqual(['c1']);
  });

  it('is made of a tool without an entry too, once it is known to be a tool', () => {
    const { guard, sendMail } = desk();
    const stranger = Object.create(sendMail, { name: { value: 'nobody' } });
    guard.tools([stranger]);
    const run = guard.adapter.openRun({ tenant: 'default', runId: 'r', intentId: 'i' }, 'x').run;
    const noted = withNoteOfAsked(calls(), run, guard.parts);
    expect(noteIn(noted)).toMatchObject({ asked: { c3: { args: { what: 'y' } } } });
  });

  it('is not made of pieces of a message, whose arguments are not whole', async () => {
    const { guard } = desk();
    for await (const piece of await guard.model(new ScriptedModel([calls()])).stream('Hi.')) {
      expect(noteIn(piece)).toBeUndefined();
    }
  });

  it('stays as it was when somebody changes the arguments of the message in place', () => {
    const { guard } = desk();
    const run = guard.adapter.openRun({ tenant: 'default', runId: 'r', intentId: 'i' }, 'x').run;
    const noted = withNoteOfAsked(calls(), run, guard.parts);
    const [call] = noted.tool_calls ?? [];
    if (call !== undefined) call.args.to = 'b';
    const request = { tool: 'send_mail', args: call?.args, callId: 'c1' };
    const config = { state: { messages: [noted] } } as object;
    expect(withAsked(request, config, run, guard.parts)).toEqual({
      ...request,
      asked: { to: 'a' },
    });
  });

  it('says nothing of a call that is as it was asked for, nor of one of another tool', () => {
    const { guard } = desk();
    const run = guard.adapter.openRun({ tenant: 'default', runId: 'r', intentId: 'i' }, 'x').run;
    withNoteOfAsked(calls(), run, guard.parts);
    const same = { tool: 'send_mail', args: { to: 'a' }, callId: 'c1' };
    const other = { tool: 'set_slot', args: { slot: 'a' }, callId: 'c1' };
    const elsewhere = guard.adapter.openRun(
      { tenant: 'default', runId: 'r2', intentId: 'i2' },
      'x',
    ).run;
    expect(withAsked(same, undefined, run, guard.parts)).toBe(same);
    expect(withAsked(other, undefined, run, guard.parts)).toBe(other);
    const changed = { ...same, args: { to: 'b' } };
    expect(withAsked(changed, undefined, run, guard.parts)).toMatchObject({ asked: { to: 'a' } });
    expect(withAsked(changed, undefined, elsewhere, guard.parts)).toBe(changed);
  });
});
