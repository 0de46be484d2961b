import { z } from 'zod';

/** What each tool answers when it did what it was asked. */
const results = {
  get_order: z.object({ orderId: z.string(), buyer: z.string() }),
  set_delivery: z.object({ orderId: z.string(), deliveryAt: z.string(), version: z.int() }),
  send_mail: z.object({ messageId: z.string() }),
};
export type ToolName = keyof typeof results;
export type Order = z.infer<typeof results.get_order>;

/** How the model understands a tool's answer. */
export type Understanding = 'done' | 'failed' | 'not-to-repeat' | 'outcome-unknown';

/** A guarded tool's failure says in lines of their own what it did and what may follow. */
const STATED_EFFECT = /^effect: (none|done|unknown)$/m;
const NOT_TO_REPEAT = /^next: (?:do not call it again|ask the user)\b/m;

/**
 * Reads a tool's answer as a model does, by its text alone. Without a stated effect it is the
 * expected result, which a note may follow, or else an error of the framework.
 */
export function understand(tool: ToolName, answer: string): Understanding {
  switch (STATED_EFFECT.exec(answer)?.[1]) {
    case 'unknown':
      return 'outcome-unknown';
    case 'done':
      return 'done';
    case 'none':
      return NOT_TO_REPEAT.test(answer) ? 'not-to-repeat' : 'failed';
    default:
      return results[tool].safeParse(embeddedJson(answer)).success ? 'done' : 'failed';
  }
}

/** The order in a successful answer of get_order. */
export function readOrder(answer: string): Order {
  return results.get_order.parse(embeddedJson(answer));
}

function embeddedJson(text: string): unknown {
  const [json] = /\{[\s\S]*\}/.exec(text) ?? [];
  try {
    return json && JSON.parse(json);
  } catch {
    return undefined;
  }
}
