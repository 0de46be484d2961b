/** What the tools of the cases promise: one or more of each class. */
import { assumed, defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { z } from 'zod';

const notUndone = { tool: 'none', avoidBy: 'accept', reason: 'it is a test' } as const;
const irreversible = {
  idempotency: { class: 'irreversible' },
  compensation: notUndone,
  resourceGroup: 'office',
  owner: 'cases@team',
} as const;

const findCharge = defineTool({
  name: 'find_charge',
  summary: 'Look for the charge of an order.',
  input: z.object({ orderId: z.string() }),
  output: z.object({ receipt: z.number().nullable() }),
  idempotency: read(),
  resourceGroup: 'office',
  owner: 'cases@team',
});

export const caseRegistry = defineRegistry({
  name: 'cases',
  resourceGroups: { office: {}, archive: {} },
  tools: [
    findCharge,
    defineTool({
      name: 'get_order',
      summary: 'Read an order.',
      input: z.object({ orderId: z.string() }),
      idempotency: read(),
      resourceGroup: 'office',
      owner: 'cases@team',
    }),
    defineTool({
      name: 'make_report',
      summary: 'Read everything; takes its time.',
      input: z.object({ about: z.string() }),
      idempotency: read(),
      latency: assumed(5_000),
      resourceGroup: 'archive',
      owner: 'cases@team',
    }),
    defineTool({
      name: 'set_slot',
      summary: 'Move an order to a slot.',
      input: z.object({ orderId: z.string(), slot: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { header: 'Idempotency-Key' },
        serverKeepsKeyFor: '24h',
      },
      serialBy: 'orderId',
      resourceGroup: 'office',
      owner: 'cases@team',
    }),
    defineTool({
      name: 'charge',
      summary: 'Charge an order.',
      input: z.object({ orderId: z.string(), amount: z.number() }),
      ...irreversible,
    }),
    defineTool({
      name: 'charge_traceably',
      summary: 'Charge an order, and be able to find the charge.',
      input: z.object({ orderId: z.string() }),
      ...irreversible,
      probe: {
        tool: findCharge,
        args: ({ args }) => ({ orderId: args.orderId }),
        answer: ({ receipt }) =>
          receipt === null
            ? { found: 'absent', authoritative: false, asOf: new Date(0) }
            : { found: 'one', evidence: { receipt }, result: { receipt } },
      },
    }),
    defineTool({
      name: 'pay',
      summary: 'Pay an invoice.',
      input: z.object({
        payee: z.string(),
        amount: z.number(),
        invoice: z.string(),
        memo: z.string().optional(),
        oneTimeToken: z.string().optional(),
      }),
      ...irreversible,
      idempotency: { class: 'irreversible', key: { volatile: ['memo', 'oneTimeToken'] } },
    }),
    defineTool({
      name: 'send_mail',
      summary: 'Send a mail.',
      input: z.object({ to: z.string(), subject: z.string() }),
      ...irreversible,
    }),
    defineTool({
      name: 'notify',
      summary: 'Notify somebody.',
      input: z.object({ who: z.string() }),
      ...irreversible,
    }),
    defineTool({
      name: 'approve',
      summary: 'Do something once a person agrees.',
      input: z.object({ what: z.string() }),
      ...irreversible,
    }),
    defineTool({
      name: 'wipe',
      summary: 'Wipe a disk, once a person agrees.',
      input: z.object({ disk: z.string() }),
      ...irreversible,
      compensation: { tool: 'none', avoidBy: 'confirm', reason: 'what is wiped is gone' },
    }),
    defineTool({
      name: 'order_pizza',
      summary: 'Order a pizza; two equal ones may be meant.',
      input: z.object({ kind: z.string() }),
      ...irreversible,
      idempotency: { class: 'irreversible', repeat: 'ask' },
    }),
    defineTool({
      name: 'ring',
      summary: 'Ring a bell; twice is twice.',
      input: z.object({ bell: z.string() }),
      ...irreversible,
      idempotency: { class: 'irreversible', repeat: 'deliberate' },
    }),
    defineTool({
      name: 'mail_with_consent',
      summary: 'Draft a mail, and send it once a person agrees.',
      input: z.object({ to: z.string() }),
      ...irreversible,
    }),
    defineTool({
      name: 'helper',
      summary: 'Let another agent help.',
      input: z.object({ what: z.string() }),
      idempotency: { class: 'delegates' },
      resourceGroup: 'office',
      owner: 'cases@team',
    }),
    defineTool({
      name: 'hand_over',
      summary: 'Hand over to another agent.',
      input: z.object({ to: z.string() }),
      ...irreversible,
    }),
  ],
});
