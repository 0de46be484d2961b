import { describe, expect, it } from 'vitest';
import type { ChatMessage } from './chat-request.js';
import { decideNextTurn, type NextTurn } from './script.js';
import type { ToolName } from './tool-answer.js';

const user: ChatMessage = { role: 'user', content: 'Move the delivery of order ord_1, please.' };
const deliveryAt = '2026-12-01T08:00:00.000Z';
const order = '{"orderId":"ord_1","deliveryAt":"2026-12-03T14:00:00.000Z","buyer":"b@example.com"}';
const moved = `{"orderId":"ord_1","deliveryAt":"${deliveryAt}","version":2}`;
const failed = "Tool 'send_mail' failed after 3 attempts with TypeError";

function after(...answers: [ToolName, string][]): NextTurn {
  const exchanges = answers.flatMap(([name, content], index): ChatMessage[] => [
    { role: 'assistant', tool_calls: [{ id: `call_${index}`, function: { name } }] },
    { role: 'tool', tool_call_id: `call_${index}`, content },
  ]);
  return decideNextTurn([user, ...exchanges], '2026-11-30');
}

const asked = (turn: NextTurn) => ('toolCalls' in turn ? turn.toolCalls.map((c) => c.name) : []);
const said = (turn: NextTurn) => ('text' in turn ? turn.text : '');

describe('the scripted model', () => {
  it('looks up, moves to tomorrow 08:00 UTC, mails and reports', () => {
    expect(asked(after())).toEqual(['get_order']);
    expect(after(['get_order', order])).toEqual({
      toolCalls: [{ name: 'set_delivery', args: { orderId: 'ord_1', deliveryAt } }],
    });
    expect(after(['get_order', order], ['set_delivery', moved])).toMatchObject({
      toolCalls: [{ name: 'send_mail', args: { to: 'b@example.com' } }],
    });
    const end = after(
      ['get_order', order],
      ['set_delivery', moved],
      ['send_mail', '{"messageId":"m"}'],
    );
    expect(said(end)).toContain('the buyer was told');
  });

  it('asks once more for a tool that failed, then gives up', () => {
    const sofar: [ToolName, string][] = [
      ['get_order', order],
      ['set_delivery', moved],
      ['send_mail', failed],
    ];
    expect(asked(after(...sofar))).toEqual(['send_mail']);
    expect(said(after(...sofar, ['send_mail', failed]))).toContain('cannot say whether a mail');
    expect(asked(after(['get_order', 'Error: 503\n Please fix your mistakes.']))).toEqual([
      'get_order',
    ]);
  });

  it.each([
    // An attempt whose answer was lost, an equal call before it, and one that is still at work.
    `status: transport_lost
effect: unknown
The connection was lost before send_mail answered. It is not known whether it took effect.
next: do not repeat this call, and do not report it as done or as failed. Tell the user that its outcome is unknown and being checked.`,
    `status: outcome_unknown
effect: unknown
An equal call of send_mail was sent before, and it is not known whether it took effect. It is being checked. Nothing was sent now.
next: do not repeat this call, and do not report it as done or as failed. Tell the user that its outcome is unknown and being checked.`,
    `status: in_flight
effect: unknown
An equal call of send_mail is being worked on elsewhere. Nothing was sent for this one.
next: do not repeat this call, and do not report it as done or as failed. Tell the user that its outcome is unknown and being checked.`,
  ])('never repeats what may have happened: %s', (answer) => {
    const turn = after(['get_order', order], ['set_delivery', moved], ['send_mail', answer]);
    expect(said(turn)).toContain('not known yet whether the mail');
  });

  it.each([
    `status: transport_lost
effect: none
set_delivery could not be reached. Nothing was sent.
next: do not call it again; report what is done and what is not.`,
    `status: intent_conflict
effect: none
set_delivery was not called: the same call was made before with other arguments.
next: ask the user how to go on.`,
  ])('does not ask again when told not to: %s', (answer) => {
    const turn = after(['get_order', order], ['set_delivery', answer]);
    expect(said(turn)).toContain('The buyer was not told');
  });

  it.each([
    `status: invalid_arguments
effect: none
set_delivery was not called. Problems with its arguments:
- deliveryAt: Invalid ISO datetime
next: correct the call.`,
    `status: not_durable
effect: none
set_delivery was not called: the conversation is not saved yet, and this action cannot be undone.
next: nothing; it is waited for.`,
  ])('asks again for what was not done and may be asked for: %s', (answer) => {
    expect(asked(after(['get_order', order], ['set_delivery', answer]))).toEqual(['set_delivery']);
  });

  it('takes a result that comes with a note, and a success whose result is lost', () => {
    const noted = `${moved}\n[This was already done before the interruption. It was not done again.]`;
    expect(asked(after(['get_order', order], ['set_delivery', noted]))).toEqual(['send_mail']);
    const notKept = `status: result_not_kept
effect: done
set_delivery is done. Its result is not known any more.
next: do not call it again.`;
    expect(asked(after(['get_order', order], ['set_delivery', notKept]))).toEqual(['send_mail']);
  });

  it('asks for the order when the user names none', () => {
    expect(decideNextTurn([{ role: 'user', content: 'hello' }], '2026-11-30')).toEqual({
      text: 'Which order do you mean? I need its id.',
    });
  });
});
