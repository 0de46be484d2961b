import type { Context } from 'hono';

/** The key a client sent with its request, or null. `X-Request-Key` is the older name of the two. */
export function requestKey(context: Context): string | null {
  return context.req.header('Idempotency-Key') || context.req.header('X-Request-Key') || null;
}
