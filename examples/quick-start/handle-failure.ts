import { isGuardError } from '@holdfast/call-guard';

/** What to tell a person about a call that failed. */
export function explain(error: unknown): string {
  if (!isGuardError(error)) throw error;
  const { failure } = error;
  if (failure.kind === 'invalid_arguments') return failure.details.problems[0]?.message ?? '';
  if (failure.effect === 'unknown') return `Not certain, not repeated: ${failure.idempotencyKey}`;
  return failure.forUser;
}
