import type { FailureFacts } from '../failure.js';
import type { BreakerScope } from '../protection/breakers.js';
import type { Sample } from '../protection/circuit-breaker.js';
import type { Outcome } from './call.js';

/** What one try says about its tool and the service behind it. */
export function sampleOf(outcome: Outcome): {
  readonly sample: Sample;
  readonly about: BreakerScope;
} {
  switch (outcome.outcome) {
    case 'succeeded':
    case 'confirmed':
      return { sample: 'success', about: 'group' };
    case 'suspended':
      return { sample: 'neutral', about: 'tool' };
    case 'failed':
    case 'unknown':
      return ofFailure(outcome.failure);
  }
}

/**
 * Failures speak about the dependency: its way there, its time, its 5xx, its load. Neutral is what says
 * nothing about it: the request's own faults, the caller's cancel, our own refusals, contention
 * that passes, and a quota that is honored by waiting.
 */
function ofFailure({ kind, details }: FailureFacts): {
  readonly sample: Sample;
  readonly about: BreakerScope;
} {
  switch (kind) {
    case 'transport_lost':
    case 'overloaded':
      return { sample: 'failure', about: 'group' };
    case 'timed_out':
      // The caller had too little time: that is no sickness of the service.
      return details.limit === 'run'
        ? { sample: 'neutral', about: 'tool' }
        : { sample: 'failure', about: 'group' };
    case 'dependency_failed':
      // A call inside of it has told its own breaker; a refusal of ours would count as a failure here. And a
      // deadlock or a busy database says that others were there first.
      return {
        sample: details.innerCall || details.transient ? 'neutral' : 'failure',
        about: 'tool',
      };
    default:
      return { sample: 'neutral', about: 'tool' };
  }
}
