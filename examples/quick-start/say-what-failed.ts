import { createGuard, fail, guardedFetch } from '@holdfast/call-guard';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import registry from './tools.registry.js';

const billing = process.env.BILLING_URL ?? 'http://localhost:8080';
let token = 'none yet';

export const guard = createGuard({
  registry,
  ledger: sqliteLedger(process.env.LEDGER ?? 'agent.db'),
  // Called once for all calls that were answered 401; each is then tried once more.
  refreshAuth: async () => {
    const response = await fetch(`${billing}/token`, { method: 'POST' });
    token = await response.text();
  },
  // What users read. What the model reads stays English.
  locale: 'ja',
});

export async function refund(args: { invoiceId: string; cents: number }): Promise<unknown> {
  const response = await guardedFetch(`${billing}/refunds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(args),
  });
  if (response.ok) return response.json();
  const { status, headers } = response;
  const text = await response.text();
  // What you know and the guard cannot.
  if (text.includes('invoice is closed')) {
    throw fail({ kind: 'business_error', effect: 'none', code: 'invoice_closed', message: text });
  }
  // The rest it reads by itself: the status, Retry-After, what the body says.
  throw Object.assign(new Error(text), { status, headers });
}
