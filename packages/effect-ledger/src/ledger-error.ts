const BRAND = Symbol.for('holdfast.ledger-error');

/** Why the ledger could not do its work. Nothing was written. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly [BRAND] = true;
  constructor(
    readonly code: 'full' | 'read_only' | 'busy' | 'corrupt' | 'newer' | 'closed' | 'failed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Whether this is a {@link LedgerError}, of whichever copy of this package. */
export function isLedgerError(error: unknown): error is LedgerError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
