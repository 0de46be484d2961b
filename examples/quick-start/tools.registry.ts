import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { z } from 'zod';

const getInvoice = defineTool({
  name: 'get_invoice',
  summary: 'Look up an invoice.',
  input: z.object({ invoiceId: z.string() }),
  idempotency: read(),
  resourceGroup: 'billing',
  owner: 'billing@team',
});

const refund = defineTool({
  name: 'refund',
  summary: 'Pay an amount back to the customer.',
  input: z.object({ invoiceId: z.string(), cents: z.int().positive(), note: z.string() }),
  idempotency: {
    class: 'idempotent-write',
    // The model words the note anew each time; it does not make another refund.
    key: { volatile: ['note'] },
    sentAs: { header: 'Idempotency-Key' },
    serverKeepsKeyFor: '7d',
  },
  resourceGroup: 'billing',
  owner: 'billing@team',
});

export default defineRegistry({
  name: 'billing',
  tools: [getInvoice, refund],
  resourceGroups: { billing: {} },
});
