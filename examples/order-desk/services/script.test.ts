import { describe, expect, it } from 'vitest';
import type { ChatMessage } from './chat-request.js';
import { decideNextTurn, type NextTurn } from './script.js';
import type { ToolName } from './tool-answer.js';

const user: ChatMessage = { role: 'user', content: 'Move the delivery of order ord_1, please.' };
const deliveryAt = '2026-12-01T08:00:00.000Z';
const order = '{"orderId":"ord_1","deliveryAt":"2026-12-03T14:00:00.000Z","buyer":"b@example.com"}';
const moved = `{"orderId":"ord_1","deliveryAt":"${deliveryAt}","version":2}`;
const failed = "Tool 'send_mail' failed after 3 attempts with TypeError";
const unknown = `status: outcome_unknown
effect: unknown
An equal call of send_mail was sent before, and it is not known whether it took effect. It is being checked. Nothing was sent now.
next: do not repeat this call, and do not report it as done or as failed. Tell the user that its outcome is unknown and being checked.`;
const refused = `status: circuit_open
effect: none
send_mail is unavailable: it failed too often. It is off for 30 s at least.
next: do not call it again; use another way or say what is missing.`;

const args: Record<ToolName, Record<string, string>> = {
  get_order: { orderId: 'ord_1' },
  set_delivery: { orderId: 'ord_1', deliveryAt },
  send_mail: mailTo('b@example.com'),
};

function mailTo(to: string): Record<string, string> {
  return {
    to,
    subject: 'New delivery time for order ord_1',
    body: `Hello, order ord_1 will be delivered at ${deliveryAt}.`,
  };
}

type Answer = [tool: ToolName, content: string, to?: string];

function conversation(answers: Answer[], asks = user): ChatMessage[] {
  const exchanges = answers.flatMap(([name, content, to], index): ChatMessage[] => {
    const call = { name, arguments: JSON.stringify(to === undefined ? args[name] : mailTo(to)) };
    return [
      { role: 'assistant', tool_calls: [{ id: `call_${index}`, function: call }] },
      { role: 'tool', tool_call_id: `call_${index}`, content },
    ];
  });
  return [asks, ...exchanges];
}

const heeds = { today: '2026-11-30', temper: 'heeds' } as const;
const after = (...answers: Answer[]) => decideNextTurn(conversation(answers), heeds);

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
    expect(said(end)).toContain('Told by mail: the buyer.');
  });

  it('asks once more for a tool that failed, then gives up', () => {
    const sofar: Answer[] = [
      ['get_order', order],
      ['set_delivery', moved],
      ['send_mail', failed],
    ];
    expect(asked(after(...sofar))).toEqual(['send_mail']);
    expect(said(after(...sofar, ['send_mail', failed]))).toContain(
      'cannot say whether a mail went out: the buyer.',
    );
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
    unknown,
    `status: in_flight
effect: unknown
An equal call of send_mail is being worked on elsewhere. Nothing was sent for this one.
next: do not repeat this call, and do not report it as done or as failed. Tell the user that its outcome is unknown and being checked.`,
  ])('never repeats what may have happened: %s', (answer) => {
    const turn = after(['get_order', order], ['set_delivery', moved], ['send_mail', answer]);
    expect(said(turn)).toContain('Not known yet whether the mail went out');
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

  it('mails everyone whom the user names, one after the other, and says who was told', () => {
    const all: ChatMessage = {
      role: 'user',
      content:
        'Move ord_1, tell the buyer, carrier@example.com, depot@example.com and x@example.com.',
    };
    const moves: Answer[] = [
      ['get_order', order],
      ['set_delivery', moved],
    ];
    const mails: Answer[] = [
      ['send_mail', '{"messageId":"m"}'],
      ['send_mail', unknown, 'carrier@example.com'],
      ['send_mail', refused, 'depot@example.com'],
    ];
    const turn = (...answers: Answer[]) => decideNextTurn(conversation(answers, all), heeds);
    expect(turn(...moves, ...mails.slice(0, 1))).toEqual({
      toolCalls: [{ name: 'send_mail', args: mailTo('carrier@example.com') }],
    });
    const toTheLast: Answer = ['send_mail', failed, 'x@example.com'];
    expect(said(turn(...moves, ...mails, toTheLast, toTheLast))).toBe(
      `The delivery of ord_1 is now at ${deliveryAt}. Told by mail: the buyer. Not told: depot@example.com. Not known yet whether the mail went out, and not repeated: carrier@example.com. Only errors, so I cannot say whether a mail went out: x@example.com.`,
    );
  });

  it.each([unknown, refused])(
    'that insists asks three times, whatever it is told: %s',
    (answer) => {
      const asks = (times: number) => {
        const mails = Array.from({ length: times }, (): Answer => ['send_mail', answer]);
        const messages = conversation([['get_order', order], ['set_delivery', moved], ...mails]);
        return asked(decideNextTurn(messages, { ...heeds, temper: 'insists' }));
      };
      expect([asks(1), asks(2), asks(3)]).toEqual([['send_mail'], ['send_mail'], []]);
    },
  );

  it('asks for the order when the user names none', () => {
    expect(decideNextTurn([{ role: 'user', content: 'hello' }], heeds)).toEqual({
      text: 'Which order do you mean? I need its id.',
    });
  });
});
