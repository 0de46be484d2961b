import { idempotencyMiddleware, readDeadline } from '@holdfast/call-guard';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { Hono } from 'hono';

const idempotent = idempotencyMiddleware({
  ledger: sqliteLedger('orders.db'),
  requires: ({ url }) => new URL(url).pathname.startsWith('/orders'),
  callerOf: ({ headers }) => headers.get('x-client-id') ?? undefined,
});

export const app = new Hono();
app.use((c, next) =>
  idempotent(c.req.raw, async () => {
    await next();
    return c.res;
  }),
);
app.post('/orders', async (c) => {
  const leftMs = readDeadline(c.req.raw.headers);
  if (leftMs !== undefined && leftMs < 200) return c.text('too little time is left', 408);
  return c.json({ ordered: await c.req.json() }, 201);
});
