import type { FailureFacts } from '../failure.js';

/** Whether a failure is one of the way there, which another try may not have, and not of the request. */
export function isPassing({ kind, details }: FailureFacts): boolean {
  // When the run's own time is over, another try has none.
  if (kind === 'timed_out') return details.limit !== 'run';
  if (kind === 'dependency_failed') {
    const { status = 0, transient = false } = details;
    return transient || status >= 500 || status === 408 || status === 409;
  }
  return kind === 'transport_lost' || kind === 'rate_limited' || kind === 'overloaded';
}
