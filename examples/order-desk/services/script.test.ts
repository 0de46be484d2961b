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
    'send_mail: outcome unknown, being checked. Do not repeat.',
    '{"kind":"outcome_unknown","effect":"unknown"}',
    'effect: unknown',
  ])('never repeats what may have happened: %s', (answer) => {
    const turn = after(['get_order', order], ['set_delivery', moved], ['send_mail', answer]);
    expect(said(turn)).toContain('not known yet whether the mail');
  });

  it('does not ask again when told not to', () => {
    const turn = after(
      ['get_order', order],
      ['set_delivery', 'circuit open; advice: do_not_retry'],
    );
    expect(said(turn)).toContain('The buyer was not told');
  });

  it('takes a result that comes with a note, and a success whose result was not kept', () => {
    const note = `${moved}\nAlready done before a restart; not done twice.`;
    expect(asked(after(['get_order', order], ['set_delivery', note]))).toEqual(['send_mail']);
    expect(asked(after(['get_order', order], ['set_delivery', 'Done; result not kept.']))).toEqual([
      'send_mail',
    ]);
  });

  it('asks for the order when the user names none', () => {
    expect(decideNextTurn([{ role: 'user', content: 'hello' }], '2026-11-30')).toEqual({
      text: 'Which order do you mean? I need its id.',
    });
  });
});
