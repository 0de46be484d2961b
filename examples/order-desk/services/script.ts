import { type ChatMessage, textOf } from './chat-request.js';
import { type Order, readOrder, type ToolName, understand } from './tool-answer.js';

export interface ToolCall {
  name: ToolName;
  args: Record<string, string>;
}

/** What the model says next. */
export type NextTurn = { toolCalls: ToolCall[] } | { text: string };

/** How often the model asks for the same thing when it only gets errors. */
const MAX_ASKS = 2;

/** A step of the task, the words for when it failed, and those for when its outcome is not known. */
interface Step {
  call: ToolCall;
  failed: string;
  unknown: string;
}

/**
 * The scripted model: look up the order, move its delivery to tomorrow 08:00 UTC, mail the buyer,
 * report. It is a pure function of the conversation, as a model is: it repeats a tool that failed
 * once, under a new call, and never one whose answer says that the outcome is unknown or that it is
 * not to be repeated.
 *
 * @param today the model's date as `YYYY-MM-DD`.
 */
export function decideNextTurn(messages: readonly ChatMessage[], today: string): NextTurn {
  const orderId = findOrderId(messages);
  if (!orderId) return { text: 'Which order do you mean? I need its id.' };
  const deliveryAt = tomorrowMorning(today);

  const lookUp: Step = {
    call: { name: 'get_order', args: { orderId } },
    failed: `I could not look up order ${orderId}. Nothing was changed and nobody was told.`,
    unknown: `I could not look up order ${orderId}. Nothing was changed and nobody was told.`,
  };
  const move: Step = {
    call: { name: 'set_delivery', args: { orderId, deliveryAt } },
    failed: `I tried to move the delivery of ${orderId} and only got errors. I cannot say whether it was moved. The buyer was not told.`,
    unknown: `It is not known yet whether the delivery of ${orderId} was moved to ${deliveryAt}. I did not repeat it, and the buyer was not told.`,
  };

  return (
    turnFor(lookUp, messages) ??
    turnFor(move, messages) ??
    turnFor(tellBuyer(seenOrder(messages), deliveryAt), messages) ?? {
      text: `The delivery of ${orderId} is now at ${deliveryAt}, and the buyer was told by mail.`,
    }
  );
}

/** What there is to say or do about a step; undefined when it is done. */
function turnFor(step: Step, messages: readonly ChatMessage[]): NextTurn | undefined {
  const { name } = step.call;
  const understood = answersOf(name, messages).map((answer) => understand(name, answer));
  switch (understood.at(-1)) {
    case 'done':
      return undefined;
    case 'outcome-unknown':
      return { text: step.unknown };
    case 'not-to-repeat':
      return { text: step.failed };
    case 'failed':
    case undefined:
      return understood.length < MAX_ASKS ? { toolCalls: [step.call] } : { text: step.failed };
  }
}

function tellBuyer({ orderId, buyer }: Order, deliveryAt: string): Step {
  const moved = `The delivery of ${orderId} is now at ${deliveryAt}`;
  return {
    call: {
      name: 'send_mail',
      args: {
        to: buyer,
        subject: `New delivery time for order ${orderId}`,
        body: `Dear customer, your order ${orderId} will be delivered at ${deliveryAt}.`,
      },
    },
    failed: `${moved}. I tried to mail the buyer and only got errors. I cannot say whether a mail went out.`,
    unknown: `${moved}. It is not known yet whether the mail to the buyer went out. I did not repeat it.`,
  };
}

function seenOrder(messages: readonly ChatMessage[]): Order {
  return readOrder(answersOf('get_order', messages).at(-1) ?? '');
}

function findOrderId(messages: readonly ChatMessage[]): string | undefined {
  const said = messages.flatMap((m) => (m.role === 'user' ? [textOf(m.content)] : []));
  return /\bord_\w+/.exec(said.join('\n'))?.[0];
}

function answersOf(tool: ToolName, messages: readonly ChatMessage[]): string[] {
  const calls = messages.flatMap((m) => (m.role === 'assistant' ? m.tool_calls : []));
  const ids = new Set(calls.filter((call) => call.function.name === tool).map((call) => call.id));
  return messages.flatMap((m) =>
    m.role === 'tool' && ids.has(m.tool_call_id) ? [textOf(m.content)] : [],
  );
}

function tomorrowMorning(today: string): string {
  const morning = new Date(`${today}T08:00:00.000Z`);
  morning.setUTCDate(morning.getUTCDate() + 1);
  return morning.toISOString();
}
