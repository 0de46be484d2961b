import type { EffectKey } from '../effect.js';
import type { LedgerStore } from '../store.js';
import { failed, succeeded, unknown, wish, worker } from './worker.js';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** When it begins; a clock that adds ten milliseconds each time is what it is meant for. */
export const begun = Date.UTC(2026, 2, 1, 12);
export const run1 = `run_${'1'.repeat(32)}`;
export const run2 = `run_${'2'.repeat(32)}`;

/**
 * Two requests for one refund. In the first also a mail of which nobody knows, a booking that failed with
 * a step that did not, and a decision that was overruled.
 *
 * @returns the keys of refund, mail, booking, step and second refund
 */
export async function writeScene(ledger: LedgerStore): Promise<readonly EffectKey[]> {
  const ada = worker(ledger, 'ada');
  const inThread = { tenant: 'acme', threadId: '007' };
  const admission = { ...inThread, inputDigest: 'd', registryDigest: 'r' };
  const limits = { deadlineMs: 40_000 };
  const input = bytes('SECRET-INPUT');
  await ledger.admit({ ...admission, runId: run1, intentId: 'i1', inputId: 'm1', input, limits });
  await ledger.admit({ ...admission, runId: run2, intentId: 'i2', inputId: 'm2' });
  const place = { threadId: '007', messageId: 'message-1', position: 0, callId: 'call-1' };
  const ofRun1 = { runId: run1, intentId: 'i1', place };
  const refund = wish({
    ...{ ...ofRun1, tool: 'refund', class: 'idempotent-write' },
    identity: '{"cents":500,"invoiceId":"inv_7"}',
    frozenArgs: bytes({ note: 'SECRET-ARGUMENT' }),
  });
  const first = await ada.doing(refund, {
    ...succeeded(),
    result: { kept: true, type: 'text', bytes: bytes('SECRET-RESULT'), digest: 'd' },
    undo: {
      ...{ undo: 'ready', tool: 'charge', args: bytes({ cents: 500 }) },
      ...{ strength: 'weak', validUntil: begun + 3_600_000 },
    },
  });
  // A text that would clear the screen.
  const frozenArgs = bytes({ to: 'a\u001b[2J', cents: 500 });
  const mail = await ada.doing(wish({ ...ofRun1, frozenArgs }), unknown());
  const booked = await ada.doing(wish({ ...ofRun1, tool: 'book' }), failed());
  const step = { parent: booked.key, name: 'reserve' };
  const part = await ada.doing(wish({ ...ofRun1, tool: 'book', step }), succeeded());
  const decision = {
    ...inThread,
    runId: run1,
    tool: 'send_mail',
    argsDigest: 'd',
    callId: 'call-1',
  };
  await ledger.decide({ ...decision, kind: 'approved', by: 'Ben' });
  await ledger.decide({ ...decision, kind: 'rejected', by: 'Ann', note: 'no' });
  const second = await ada.doing({ ...refund, runId: run2, intentId: 'i2' }, succeeded());
  await ledger.endRun(run2, 'complete', 2345);
  return [first.key, mail.key, booked.key, part.key, second.key];
}
