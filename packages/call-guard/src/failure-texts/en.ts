import type { FailureFacts } from '../failure.js';

/** What the user reads: what could not be done, what was done, and that it will not be repeated. */
export function forUser(tool: string, failure: FailureFacts): string {
  const action = `“${tool}”`;
  if (failure.effect === 'done') return `${action} was done. It will not be repeated.`;
  if (failure.effect === 'unknown') {
    return `It is not certain whether ${action} was done. It is being checked and will not be repeated.`;
  }
  switch (failure.kind) {
    case 'unknown_tool':
      return `${action} is not something this assistant can do. Nothing was done.`;
    case 'invalid_arguments':
      return `${action} could not be started: some details were not valid. Nothing was done.`;
    case 'cancelled':
      return `${action} was cancelled before it began.`;
    case 'auth_failed':
      return `${action} was refused: the credentials are not accepted. Nothing was done.`;
    case 'intent_conflict':
      return `${action} was stopped: the same step was asked for before with other details. Nothing was done.`;
    case 'not_durable':
    case 'ledger_unavailable':
      return `${action} was not started, because it could not be recorded safely. Nothing was done.`;
    case 'in_flight':
    case 'outcome_unknown':
    case 'timed_out':
    case 'transport_lost':
    case 'dependency_failed':
    case 'business_error':
    case 'result_invalid':
    case 'result_not_kept':
      return `${action} could not be done. Nothing was changed by it.`;
  }
}
