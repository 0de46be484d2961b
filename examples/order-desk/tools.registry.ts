/** What the order desk's tools promise: reviewed like code, read by everything that handles a call. */
import { assumed, defineRegistry, defineTool, measured, read } from '@holdfast/tool-registry';
import { z } from 'zod';

const orderId = z.string().regex(/^ord_\d+$/);

const getOrder = defineTool({
  name: 'get_order',
  summary: 'Look up one order by its id.',
  input: z.object({ orderId }),
  output: z.object({
    orderId,
    deliveryAt: z.iso.datetime(),
    version: z.int(),
    buyer: z.email(),
  }),
  idempotency: read(),
  latency: measured({ p50: 40, p95: 180, p99: 420, samples: 5_200, measuredAt: '2026-11-02' }),
  timeouts: { total: '3s' },
  resourceGroup: 'orders-db',
  owner: 'orders@team',
});

const setDelivery = defineTool({
  name: 'set_delivery',
  version: '1.2.0',
  summary: 'Move the delivery of an order to another time.',
  input: z.object({ orderId, deliveryAt: z.iso.datetime() }),
  output: z.object({ orderId, deliveryAt: z.iso.datetime(), version: z.int() }),
  idempotency: {
    class: 'idempotent-write',
    sentAs: { header: 'Idempotency-Key' },
    serverKeepsKeyFor: '7d',
  },
  capture: { tool: getOrder, args: ({ args }) => ({ orderId: args.orderId }) },
  compensation: {
    tool: 'set_delivery',
    strength: 'strong',
    within: '2h',
    args: ({ args, before }) => ({ orderId: args.orderId, deliveryAt: before.deliveryAt }),
  },
  latency: measured({ p50: 70, p95: 250, p99: 600, samples: 1_900, measuredAt: '2026-11-02' }),
  timeouts: { total: '5s' },
  resourceGroup: 'orders-db',
  serialBy: 'orderId',
  sideEffect: 'external',
  owner: 'orders@team',
});

/** What the mail service answers when it is asked for the mails of a key. */
export const sentMails = z.object({
  count: z.int(),
  messageIds: z.array(z.string()),
  asOf: z.coerce.date(),
});

const findSentMail = defineTool({
  name: 'find_sent_mail',
  summary: 'Find a mail by the key it was sent with.',
  input: z.object({ key: z.string() }),
  output: sentMails,
  idempotency: read(),
  resourceGroup: 'mail',
  owner: 'crm@team',
});

const sendMail = defineTool({
  name: 'send_mail',
  version: '3.0.0',
  summary: 'Send one e-mail to a customer.',
  input: z.object({ to: z.email(), subject: z.string().max(200), body: z.string() }),
  output: z.object({ messageId: z.string() }),
  // A model words the same mail differently when it writes it again.
  idempotency: { class: 'irreversible', key: { identity: ['to', 'subject'] } },
  probe: {
    tool: findSentMail,
    args: ({ idempotencyKey }) => ({ key: idempotencyKey }),
    answer: ({ count, messageIds: [messageId], asOf }) =>
      count === 0 || messageId === undefined
        ? { found: 'absent', authoritative: true, asOf }
        : { found: 'one', evidence: { count }, result: { messageId } },
  },
  compensation: { tool: 'none', avoidBy: 'place-last', reason: 'a mail cannot be unsent' },
  latency: assumed(8_000),
  resourceGroup: 'mail',
  sideEffect: 'external',
  owner: 'crm@team',
});

export default defineRegistry({
  name: 'order-desk',
  tools: [getOrder, setDelivery, findSentMail, sendMail],
  resourceGroups: { 'orders-db': {}, mail: {} },
});
