import { isLedgerError } from '@holdfast/effect-ledger';
import { failed } from '../next-step.js';

/** Why a store could not answer, as the contract says it. */
export function ledgerFailure(
  error: unknown,
  effect: 'none' | 'unknown',
): ReturnType<typeof failed> {
  if (!isLedgerError(error)) throw error;
  return failed('ledger_unavailable', effect, { reason: error.message }, error);
}
