import { tool } from '@langchain/core/tools';
import { z } from 'zod';

const refund = tool(
  async (asked) => {
    const url = new URL('/refunds', process.env.BILLING_URL ?? 'http://localhost:8080');
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(asked) });
    if (!response.ok) throw new Error(`The refund failed: ${await response.text()}`);
    return response.text();
  },
  {
    name: 'refund',
    description: 'Pay an amount back to the customer.',
    schema: z.object({ invoiceId: z.string(), cents: z.number() }),
  },
);

export const tools = [refund];
