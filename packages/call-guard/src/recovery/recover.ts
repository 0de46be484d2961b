import type { Effect } from '@holdfast/effect-ledger';
import type { Contract } from '../call/call.js';

/** What may be done about an unknown outcome before anything else. */
export type Recovery = 'resend' | 'probe' | 'leave';

/**
 * The table of the unknown outcome, pure. A keyed write is sent again with the same key and arguments
 * inside the server's window; past it, and for irreversible calls, the other side is asked; a tool that
 * cannot be asked, or has no entry, is left to a person.
 *
 * @param nowMs wall-clock milliseconds
 */
export function recoveryOf(effect: Effect, contract: Contract, nowMs: number): Recovery {
  if (!contract.declared) return 'leave';
  if (keyProtects(effect, contract, nowMs)) return 'resend';
  return contract.entry.probe === undefined ? 'leave' : 'probe';
}

/**
 * Whether sending the effect again is harmless: a keyed write whose key travels, first sent no longer ago
 * than the server keeps keys. A header counts as travelling unless a pass over the effect was seen not
 * to send it; a pass that did not live to tell is believed to have done what the entry declares, and one
 * that certainly had no effect does not matter.
 */
export function keyProtects(effect: Effect, contract: Contract, nowMs: number): boolean {
  if (!contract.declared) return false;
  const { idempotency } = contract.entry;
  if (idempotency.class !== 'idempotent-write') return false;
  const carried = effect.attempts.every(
    ({ ended, keyCarried }) => keyCarried !== false || ended === 'failed',
  );
  const [first] = effect.attempts;
  return (
    carried && first !== undefined && nowMs - first.startedAt < idempotency.serverKeepsKeyForMs
  );
}

/**
 * Whether an outcome that is left unknown is found out later: the other side can be asked, knows the key
 * of a call that is sent again, or the calls inside of a delegate can tell.
 */
export function canBeFoundOut(contract: Contract): boolean {
  return (
    contract.declared && (contract.class !== 'irreversible' || contract.entry.probe !== undefined)
  );
}

/** Whether the entry lets an outcome that nobody can tell count as done. */
export function isAssumedDone(contract: Contract): boolean {
  if (!contract.declared) return false;
  const { idempotency } = contract.entry;
  return 'onUnknown' in idempotency && idempotency.onUnknown === 'assume-done';
}
