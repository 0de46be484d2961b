import { guardedFetch } from '@holdfast/call-guard';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { z } from 'zod';
import registry from './tools.registry.js';

const billing = process.env.BILLING_URL ?? 'http://localhost:8080';

const getInvoice = tool(
  async ({ invoiceId }) => (await guardedFetch(`${billing}/invoices/${invoiceId}`)).json(),
  {
    name: 'get_invoice',
    description: 'Look up an invoice.',
    schema: z.object({ invoiceId: z.string() }),
  },
);
const refund = tool(
  // guardedFetch sends the idempotency key; fetch with currentCall().headers() does the same.
  async (args) =>
    (
      await guardedFetch(`${billing}/refunds`, { method: 'POST', body: JSON.stringify(args) })
    ).json(),
  {
    name: 'refund',
    description: 'Pay an amount back to the customer.',
    schema: z.object({ invoiceId: z.string(), cents: z.number(), note: z.string() }),
  },
);

const guard = createLangGraphGuard({
  registry,
  ledger: sqliteLedger(process.env.LEDGER ?? 'agent.db'),
});

const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5' }),
  tools: [getInvoice, refund],
  middleware: [guardMiddleware(guard)],
  checkpointer: guard.checkpointer(new MemorySaver()),
});

const config = { configurable: { thread_id: 'T1' } };
const { report } = await guard.run(agent, { messages: 'Refund invoice inv_7, 500 cents.' }, config);

console.log(report.status, report.text.forUser);
// After a crash, in a new process: await guard.resume(agent, config)
