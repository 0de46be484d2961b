import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { z } from 'zod';

/**
 * The request's body, parsed.
 *
 * @throws HTTPException 400 with a JSON answer that says what does not fit.
 */
export async function jsonBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const body: unknown = await context.req.json().catch(() => undefined);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const error = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new HTTPException(400, { res: context.json({ error }, 400) });
}
