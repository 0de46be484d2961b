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

// Sends the idempotency key, as fetch with currentCall().headers() would. A failed request must throw:
// what a tool returns counts as done.
async function ask(path: string, init?: RequestInit): Promise<unknown> {
  const response = await guardedFetch(billing + path, init);
  if (response.ok) return response.json();
  throw Object.assign(new Error(await response.text()), { status: response.status });
}

const getInvoice = tool(({ invoiceId }) => ask(`/invoices/${invoiceId}`), {
  name: 'get_invoice',
  description: 'Look up an invoice.',
  schema: z.object({ invoiceId: z.string() }),
});
const refund = tool((args) => ask('/refunds', { method: 'POST', body: JSON.stringify(args) }), {
  name: 'refund',
  description: 'Pay an amount back to the customer.',
  schema: z.object({ invoiceId: z.string(), cents: z.number(), note: z.string() }),
});

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
