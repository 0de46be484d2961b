/** What is wrong before any call: a registry, an option or a store that cannot be used. */

const brand: unique symbol = Symbol.for('holdfast.setup-error');

/**
 * - `registry_invalid`: a tool's declaration or a collection of tools contradicts itself
 * - `option_out_of_range`: an option has a value outside its legal range
 * - `ledger_unreadable`, `ledger_newer`, `ledger_read_only`, `ledger_full`: the ledger's store cannot be used
 * - `driver_missing`: an optional package that a store needs is not installed
 * - `answer_invalid`: what a person is said to have answered answers none of the questions that are open
 * - `input_invalid`: what a guarded part was given to work on is not what it works on
 * - `executor_missing`: a probe, capture or compensation names a tool that nothing can execute
 */
export type SetupErrorCode =
  | 'registry_invalid'
  | 'option_out_of_range'
  | 'ledger_unreadable'
  | 'ledger_newer'
  | 'ledger_read_only'
  | 'ledger_full'
  | 'driver_missing'
  | 'answer_invalid'
  | 'input_invalid'
  | 'executor_missing';

export interface SetupProblem {
  /** Where: `tools.send_mail.idempotency.key.identity[1]`. */
  readonly field: string;
  /** What is wrong, with the value and the legal range. */
  readonly reason: string;
  /** What to do. */
  readonly fix: string;
  /** Of a collection of tools: the rule that is broken. */
  readonly rule?: string;
}

/**
 * Thrown before any call, with everything that is wrong at once. `field`, `reason` and `fix` are those of the first
 * problem; the message lists all. Recognize it by {@link isSetupError}, never by `instanceof`.
 *
 * @example
 * throw new SetupError('option_out_of_range', [
 *   { field: 'deadline', reason: '5 ms is below 100 ms', fix: 'give 100 ms or more' },
 * ]);
 */
export class SetupError extends Error {
  readonly [brand] = true;
  override readonly name = 'SetupError';
  readonly code: SetupErrorCode;
  readonly field: string;
  readonly reason: string;
  readonly fix: string;
  readonly problems: readonly SetupProblem[];

  constructor(
    code: SetupErrorCode,
    problems: readonly [SetupProblem, ...SetupProblem[]],
    options?: ErrorOptions,
  ) {
    super(problems.map((p) => `${p.field}: ${p.reason}. Fix: ${p.fix}`).join('\n'), options);
    const [first] = problems;
    this.code = code;
    this.field = first.field;
    this.reason = first.reason;
    this.fix = first.fix;
    this.problems = Object.freeze([...problems]);
  }
}

/**
 * Whether `error` is a {@link SetupError}, of any copy of this package, and has the code when one is given.
 *
 * @example
 * if (isSetupError(error, 'ledger_newer')) console.error(error.fix);
 */
export function isSetupError<C extends SetupErrorCode = SetupErrorCode>(
  error: unknown,
  code?: C,
): error is SetupError & { readonly code: C } {
  return (
    typeof error === 'object' &&
    error !== null &&
    brand in error &&
    'code' in error &&
    (code === undefined || error.code === code)
  );
}

/** Throws a `registry_invalid` error with all problems, if there are any. */
export function refuse(problems: readonly SetupProblem[]): void {
  const [first, ...rest] = problems;
  if (first !== undefined) throw new SetupError('registry_invalid', [first, ...rest]);
}
