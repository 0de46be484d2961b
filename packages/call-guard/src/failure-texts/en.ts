import type { FailureFacts } from '../failure.js';

/** What the user reads: what could not be done, what was done, and that it will not be repeated. */
export function forUser(tool: string, failure: FailureFacts): string {
  const action = `“${tool}”`;
  if (failure.effect === 'done') return `${action} was done. It will not be repeated.`;
  if (failure.effect === 'unknown') {
    const { stepsDone = [] } = failure;
    const parts = stepsDone.length === 0 ? '' : ` Parts of it are done: ${stepsDone.join(', ')}.`;
    return `It is not certain whether ${action} was done.${parts} It is being checked and will not be repeated.`;
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
    case 'fork_conflict':
      return `${action} was stopped: it was done on an earlier course of this conversation already. This time nothing was done.`;
    case 'confirmation_required':
      return `${action} waits for your consent. Nothing was done.`;
    case 'rejected_by_user':
      return `${action} was refused, as was decided. Nothing was done.`;
    case 'rate_limited':
    case 'overloaded':
      return `${action} could not be done: the service takes no more requests for now. Nothing was changed by it.`;
    case 'deadline_exceeded':
      return `${action} was not started: there was not enough time left. Nothing was changed by it.`;
    case 'circuit_open':
    case 'tool_disabled':
      return `${action} was not started: it is not available at the moment. Nothing was changed by it.`;
    case 'not_durable':
    case 'ledger_unavailable':
      return `${action} was not started, because it could not be recorded safely. Nothing was done.`;
    case 'malformed_call':
    case 'output_truncated':
    case 'loop_detected':
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
