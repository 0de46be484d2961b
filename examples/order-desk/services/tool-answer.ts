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

const OUTCOME_UNKNOWN =
  /(?:outcome|effect)(?:[\W_]|is|still){0,5}unknown|unknown[\W_](?:outcome|effect)|in[\W_]flight/i;
const NOT_TO_REPEAT = /(?:do|must|should)[\W_]not[\W_](?:repeat|retry|resend|call|try)/i;
const FAILED =
  /error|fail|invalid|reject|refuse|denied|exceeded|unavailable|not (?:a valid|found)/i;

/**
 * Reads a tool's answer as a model does, by its text alone. The expected result counts wherever it
 * stands; a text without it that speaks of no trouble ("Done; result not kept.") is good news,
 * except from a look-up.
 */
export function understand(tool: ToolName, answer: string): Understanding {
  if (results[tool].safeParse(embeddedJson(answer)).success) return 'done';
  if (OUTCOME_UNKNOWN.test(answer)) return 'outcome-unknown';
  if (NOT_TO_REPEAT.test(answer)) return 'not-to-repeat';
  return FAILED.test(answer) || tool === 'get_order' ? 'failed' : 'done';
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
