import type { StoredResult } from '@holdfast/effect-ledger';

const TYPE = 'http';

/** What is about one answer, or one connection, and no part of what was answered; and what nobody should keep. */
const NOT_KEPT: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

interface Kept {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** In base64; null for an answer that can have none. */
  readonly body: string | null;
}

/** The form in which an answer is kept. The answer itself can still be given. */
export async function storedForm(
  response: Response,
): Promise<{ readonly type: string; readonly bytes: Uint8Array }> {
  const { status, headers, body } = response;
  const kept: Kept = {
    status,
    headers: [...headers].filter(([name]) => !NOT_KEPT.has(name)),
    body:
      body === null ? null : Buffer.from(await response.clone().arrayBuffer()).toString('base64'),
  };
  return { type: TYPE, bytes: Buffer.from(JSON.stringify(kept)) };
}

/** The same answer given again. */
export function keptResponse({ bytes }: Extract<StoredResult, { kept: true }>): Response {
  const kept: Kept = JSON.parse(new TextDecoder().decode(bytes));
  const headers = new Headers(kept.headers.map(([name, value]) => [name, value]));
  headers.set('idempotency-replayed', 'true');
  const body = kept.body === null ? null : Buffer.from(kept.body, 'base64');
  return new Response(body, { status: kept.status, headers });
}
