/** A read of an order desk, its entry, and what the tool itself costs. */
import { defineRegistry, defineTool, measured, read } from '@holdfast/tool-registry';
import { z } from 'zod';

/** What one try may take. */
export const TIMEOUT_MS = 10_000;

export const searchOrders = defineTool({
  name: 'search_orders',
  summary: 'Find the orders of a customer.',
  input: z.object({
    customer: z.string(),
    status: z.enum(['open', 'sent', 'returned']),
    placed: z.object({ from: z.string(), to: z.string() }),
    fields: z.array(z.string()),
    limit: z.int().max(100),
    withLines: z.boolean().default(false),
  }),
  output: z.object({ orders: z.array(z.object({ id: z.string(), total: z.number() })) }),
  idempotency: read(),
  timeouts: { total: `${TIMEOUT_MS}ms` },
  latency: measured({ p50: 40, p95: 180, p99: 420, samples: 5_200, measuredAt: '2026-01-01' }),
  resourceGroup: 'orders',
  owner: 'orders@team',
});

export const orderSearch = defineRegistry({
  name: 'order-search',
  resourceGroups: { orders: {} },
  tools: [searchOrders],
});

/**
 * Arguments of some 200 bytes, other ones each time: equal ones again would be a loop. Their texts are flat, as
 * those of `JSON.parse` are: V8 keeps a text of 13 characters and more in parts where it is put together.
 */
export function searchArguments(turn: number): {
  customer: string;
  status: 'open';
  placed: { from: string; to: string };
  fields: string[];
  limit: number;
  withLines: boolean;
} {
  return {
    customer: `c ${turn}`,
    status: 'open',
    placed: { from: '2026-01-01', to: '2026-03-31' },
    fields: ['id', 'total', 'currency', 'placed_at', 'delivery_slot'],
    limit: 20,
    withLines: false,
  };
}

interface Found {
  readonly orders: { id: string; total: number }[];
}

/** What the tool does: nothing that takes time, so that what is measured is what is around it. */
export async function search({ customer }: { readonly customer: string }): Promise<Found> {
  return {
    orders: [
      { id: customer, total: 12.5 },
      { id: 'order 2', total: 40 },
    ],
  };
}

/** The same as a client of a service does it, which listens to the signal for as long as it waits. */
export async function searchListening(
  args: { readonly customer: string },
  signal: AbortSignal | undefined,
): Promise<Found> {
  const onAbort = (): void => {};
  signal?.addEventListener('abort', onAbort);
  const found = await search(args);
  signal?.removeEventListener('abort', onAbort);
  return found;
}
