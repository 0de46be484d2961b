import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { defineRegistry, defineTool } from '@holdfast/tool-registry';
import { z } from 'zod';

const refund = defineTool({
  name: 'refund',
  summary: 'Pay an amount back to the customer.',
  input: z.object({ invoiceId: z.string(), cents: z.int().positive() }),
  idempotency: { class: 'irreversible' },
  compensation: { tool: 'none', avoidBy: 'accept', reason: 'money that is paid is gone' },
  resourceGroup: 'billing',
  owner: 'billing@team',
});

const registry = defineRegistry({
  name: 'billing',
  tools: [refund],
  resourceGroups: { billing: {} },
});

// A file outlives a crash. In a test: memoryLedger() from @holdfast/effect-ledger.
export const guard = createLangGraphGuard({
  registry,
  ledger: sqliteLedger(process.env.LEDGER ?? 'agent.db'),
});
