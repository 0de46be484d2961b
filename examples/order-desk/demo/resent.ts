import type { GuardEvent } from '@holdfast/call-guard';
import registry, { sentMails } from '../tools.registry.js';

/**
 * How often an irreversible effect took place more often than once, by the mail service's own record:
 * it keeps the key that came with each mail that went out and does nothing else with it. Under the
 * demo's faults the answer to such a mail never came, so every further one counts.
 */
export async function countResent(events: readonly GuardEvent[], mailUrl: string): Promise<number> {
  const keys = new Set(events.filter(isIrreversible).map((event) => event.idempotencyKey));
  const again = [...keys].flatMap((key) => (key ? [sentWith(key, mailUrl)] : []));
  const counts = await Promise.all(again);
  return counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
}

function isIrreversible({ tool }: GuardEvent): boolean {
  return tool !== undefined && registry.tools.get(tool)?.idempotency.class === 'irreversible';
}

async function sentWith(key: string, mailUrl: string): Promise<number> {
  const response = await fetch(`${mailUrl}/mails?key=${encodeURIComponent(key)}`);
  return sentMails.parse(await response.json()).count;
}
