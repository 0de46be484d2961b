import { currentCall } from '@holdfast/call-guard';
import { tool } from '@langchain/core/tools';
import { interrupt } from '@langchain/langgraph';
import { z } from 'zod';
import type { World } from './world.js';

/** What a tool does after it has acted: a test may let it fail, wait or answer something else. */
export type Afterwards = (receipt: number) => unknown;

const order = z.object({ orderId: z.string() });

/**
 * The tools of the cases, as one writes them: each acts once in the world, then answers `{ receipt }`.
 *
 * @param afterwards by tool, what comes between the deed and the answer
 * @param pausesAfter by what is to be approved, what comes before the question
 */
export function caseTools(
  world: World,
  afterwards: Readonly<Record<string, Afterwards>> = {},
  pausesAfter: Readonly<Record<string, () => Promise<void>>> = {},
) {
  const acting =
    (name: string) =>
    async (args: Record<string, unknown>): Promise<unknown> => {
      const receipt = world.act(name, args, currentCall()?.headers()['Idempotency-Key']);
      const answer = await afterwards[name]?.(receipt);
      return answer === undefined ? { receipt } : answer;
    };
  return [
    tool(acting('get_order'), { name: 'get_order', description: 'Read an order.', schema: order }),
    tool(acting('make_report'), {
      name: 'make_report',
      description: 'Read everything.',
      schema: z.object({ about: z.string() }),
    }),
    tool(acting('set_slot'), {
      name: 'set_slot',
      description: 'Move an order.',
      schema: z.object({ orderId: z.string(), slot: z.string() }),
    }),
    tool(acting('charge'), {
      name: 'charge',
      description: 'Charge an order.',
      schema: z.object({ orderId: z.string(), amount: z.number() }),
    }),
    tool(acting('charge_traceably'), {
      name: 'charge_traceably',
      description: 'Charge an order.',
      schema: order,
    }),
    tool(acting('pay'), {
      name: 'pay',
      description: 'Pay an invoice.',
      schema: z.object({
        payee: z.string(),
        amount: z.number(),
        invoice: z.string(),
        memo: z.string().optional(),
        oneTimeToken: z.string().optional(),
      }),
    }),
    tool(acting('send_mail'), {
      name: 'send_mail',
      description: 'Send a mail.',
      schema: z.object({ to: z.string(), subject: z.string() }),
    }),
    tool(acting('notify'), {
      name: 'notify',
      description: 'Notify somebody.',
      schema: z.object({ who: z.string() }),
    }),
    tool(acting('wipe'), {
      name: 'wipe',
      description: 'Wipe a disk.',
      schema: z.object({ disk: z.string() }),
    }),
    tool(acting('order_pizza'), {
      name: 'order_pizza',
      description: 'Order a pizza.',
      schema: z.object({ kind: z.string() }),
    }),
    tool(acting('ring'), {
      name: 'ring',
      description: 'Ring a bell.',
      schema: z.object({ bell: z.string() }),
    }),
    tool(
      async ({ what }) => {
        await pausesAfter[what]?.();
        const answer: unknown = interrupt({ question: `May I ${what}?` });
        world.act('approve', { what, answer });
        return `approved: ${String(answer)}`;
      },
      {
        name: 'approve',
        description: 'Do something once a person agrees.',
        schema: z.object({ what: z.string() }),
      },
    ),
    tool(
      async ({ to }) => {
        const call = currentCall();
        const draft = await call?.step('draft', () => world.act('draft', { to }));
        const answer: unknown = interrupt({ question: `Send draft ${draft}?` });
        await call?.step('send', () => world.act('send', { to, draft, answer }));
        return `sent draft ${draft}`;
      },
      {
        name: 'mail_with_consent',
        description: 'Draft a mail, and send it once a person agrees.',
        schema: z.object({ to: z.string() }),
      },
    ),
    // Has no entry.
    tool(acting('legacy_sync'), {
      name: 'legacy_sync',
      description: 'Synchronize.',
      schema: z.object({ what: z.string() }),
    }),
  ];
}
