import { type ChatMessage, textOf } from './chat-request.js';
import { type Order, readOrder, type ToolName, understand } from './tool-answer.js';

export interface ToolCall {
  name: ToolName;
  args: Record<string, string>;
}

/** What the model says next. */
export type NextTurn = { toolCalls: ToolCall[] } | { text: string };

interface Manner {
  /** The model's date as `YYYY-MM-DD`. */
  today: string;
  /** Whether it heeds an answer that tells it not to repeat a call. */
  temper: 'heeds' | 'insists';
}

/** How often the model asks for the same thing when it does not get it. */
const MAX_ASKS: Record<Manner['temper'], number> = { heeds: 2, insists: 3 };

/** A step of the task, and what there is to say if it does not succeed. */
interface Step {
  call: ToolCall;
  texts: Record<Exclude<Standing, 'to-ask' | 'done'>, string>;
}

/** Where a step stands; of what is not to be asked again, because of what it was told or got. */
type Standing = 'to-ask' | 'done' | 'not-done' | 'unknown' | 'errors';

/**
 * The scripted model: look up the order, move its delivery to tomorrow 08:00 UTC, mail the buyer and
 * whomever else the user names by address, report. It is a pure function of the conversation, as a
 * model is: it repeats a call that failed, under a new id, and, unless it insists, never one whose
 * answer says that the outcome is unknown or that it is not to be repeated.
 */
export function decideNextTurn(messages: readonly ChatMessage[], manner: Manner): NextTurn {
  const wanted = saidByUser(messages);
  const [orderId] = /\bord_\w+/.exec(wanted) ?? [];
  if (!orderId) return { text: 'Which order do you mean? I need its id.' };
  const deliveryAt = tomorrowMorning(manner.today);

  for (const step of [lookUp(orderId), move(orderId, deliveryAt)]) {
    const standing = standingOf(step.call, messages, manner);
    if (standing === 'to-ask') return { toolCalls: [step.call] };
    if (standing !== 'done') return { text: step.texts[standing] };
  }

  const { buyer } = seenOrder(lookUp(orderId).call, messages);
  const addresses = [buyer, ...(wanted.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [])];
  const mails = [...new Set(addresses)].map((to) => {
    const call = mailTo(to, orderId, deliveryAt);
    const name = to === buyer ? 'the buyer' : to;
    return { name, call, standing: standingOf(call, messages, manner) };
  });
  const next = mails.find(({ standing }) => standing === 'to-ask');
  if (next !== undefined) return { toolCalls: [next.call] };
  const moved = `The delivery of ${orderId} is now at ${deliveryAt}.`;
  return { text: [moved, ...whoWasTold(mails)].join(' ') };
}

function lookUp(orderId: string): Step {
  const text = `I could not look up order ${orderId}. Nothing was changed and nobody was told.`;
  return {
    call: { name: 'get_order', args: { orderId } },
    texts: { 'not-done': text, unknown: text, errors: text },
  };
}

function move(orderId: string, deliveryAt: string): Step {
  return {
    call: { name: 'set_delivery', args: { orderId, deliveryAt } },
    texts: {
      'not-done': `The delivery of ${orderId} was not moved. The buyer was not told.`,
      unknown: `It is not known yet whether the delivery of ${orderId} was moved to ${deliveryAt}. I did not repeat it, and the buyer was not told.`,
      errors: `I tried to move the delivery of ${orderId} and only got errors. I cannot say whether it was moved. The buyer was not told.`,
    },
  };
}

function mailTo(to: string, orderId: string, deliveryAt: string): ToolCall {
  return {
    name: 'send_mail',
    args: {
      to,
      subject: `New delivery time for order ${orderId}`,
      body: `Hello, order ${orderId} will be delivered at ${deliveryAt}.`,
    },
  };
}

function whoWasTold(mails: readonly { name: string; standing: Standing }[]): string[] {
  const told: [Standing, string][] = [
    ['done', 'Told by mail:'],
    ['not-done', 'Not told:'],
    ['unknown', 'Not known yet whether the mail went out, and not repeated:'],
    ['errors', 'Only errors, so I cannot say whether a mail went out:'],
  ];
  return told.flatMap(([standing, words]) => {
    const names = mails.filter((mail) => mail.standing === standing).map(({ name }) => name);
    return names.length === 0 ? [] : [`${words} ${names.join(', ')}.`];
  });
}

function standingOf(
  call: ToolCall,
  messages: readonly ChatMessage[],
  { temper }: Manner,
): Standing {
  const understood = answersTo(call, messages).map((answer) => understand(call.name, answer));
  const last = understood.at(-1) ?? 'failed';
  if (last === 'done') return 'done';
  const mayAsk = temper === 'insists' || last === 'failed';
  if (mayAsk && understood.length < MAX_ASKS[temper]) return 'to-ask';
  switch (last) {
    case 'outcome-unknown':
      return 'unknown';
    case 'not-to-repeat':
      return 'not-done';
    case 'failed':
      return 'errors';
  }
}

function seenOrder(call: ToolCall, messages: readonly ChatMessage[]): Order {
  return readOrder(answersTo(call, messages).at(-1) ?? '');
}

function saidByUser(messages: readonly ChatMessage[]): string {
  return messages.flatMap((m) => (m.role === 'user' ? [textOf(m.content)] : [])).join('\n');
}

function answersTo({ name, args }: ToolCall, messages: readonly ChatMessage[]): string[] {
  const calls = messages.flatMap((m) => (m.role === 'assistant' ? m.tool_calls : []));
  const equal = calls.filter(
    (call) => call.function.name === name && call.function.arguments === JSON.stringify(args),
  );
  const ids = new Set(equal.map(({ id }) => id));
  return messages.flatMap((m) =>
    m.role === 'tool' && ids.has(m.tool_call_id) ? [textOf(m.content)] : [],
  );
}

function tomorrowMorning(today: string): string {
  const morning = new Date(`${today}T08:00:00.000Z`);
  morning.setUTCDate(morning.getUTCDate() + 1);
  return morning.toISOString();
}
