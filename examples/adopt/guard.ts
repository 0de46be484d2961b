import { memoryLedger } from '@holdfast/effect-ledger';
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

// In production: sqliteLedger('agent.db') from @holdfast/effect-ledger/sqlite, which outlives a crash.
export const guard = createLangGraphGuard({ registry, ledger: memoryLedger() });
