import type { EffectSeen, FailureDetails, FailureFacts, FailureKind, Next } from './failure.js';

/** Who may act next after a failure of this kind: the table of the failure contract. */
const nextByKind: Readonly<Record<FailureKind, Next>> = {
  unknown_tool: { by: 'model', advice: 'fix_arguments' },
  invalid_arguments: { by: 'model', advice: 'fix_arguments' },
  contract_changed: { by: 'nobody', advice: 'hand_off' },
  in_flight: { by: 'guard', advice: 'wait' },
  outcome_unknown: { by: 'nobody', advice: 'do_not_retry' },
  intent_conflict: { by: 'user', advice: 'confirm' },
  fork_conflict: { by: 'user', advice: 'confirm' },
  confirmation_required: { by: 'user', advice: 'confirm' },
  rejected_by_user: { by: 'nobody', advice: 'do_not_retry' },
  malformed_call: { by: 'model', advice: 'fix_arguments' },
  output_truncated: { by: 'model', advice: 'fix_arguments' },
  timed_out: { by: 'nobody', advice: 'report_partial' },
  cancelled: { by: 'nobody', advice: 'do_not_retry' },
  transport_lost: { by: 'nobody', advice: 'report_partial' },
  dependency_failed: { by: 'nobody', advice: 'report_partial' },
  business_error: { by: 'model', advice: 'fix_arguments' },
  auth_failed: { by: 'nobody', advice: 'hand_off' },
  rate_limited: { by: 'user', advice: 'wait' },
  overloaded: { by: 'user', advice: 'wait' },
  deadline_exceeded: { by: 'nobody', advice: 'report_partial' },
  loop_detected: { by: 'nobody', advice: 'use_another_tool' },
  tool_disabled: { by: 'nobody', advice: 'use_another_tool' },
  circuit_open: { by: 'nobody', advice: 'use_another_tool' },
  not_durable: { by: 'guard', advice: 'wait' },
  ledger_unavailable: { by: 'guard', advice: 'wait' },
  result_invalid: { by: 'nobody', advice: 'use_another_tool' },
  result_not_kept: { by: 'nobody', advice: 'do_not_retry' },
};

/** The facts of one failure, with what its kind and effect say about who may act next. */
export function failed<K extends FailureKind>(
  kind: K,
  effect: EffectSeen,
  details: FailureDetails[K],
  cause?: unknown,
): FailureFacts {
  const facts = { kind, effect, next: nextStep(kind, effect, details), details };
  return (cause === undefined ? facts : { ...facts, cause }) as FailureFacts;
}

/** The same failure, with what is known of its effect now. */
export function withEffect(failure: FailureFacts, effect: EffectSeen): FailureFacts {
  return { ...failure, effect, next: nextStep(failure.kind, effect, failure.details) };
}

/** The same failure, where nothing here can find out what became of its effect: a person has to. */
export function leftToPerson(failure: FailureFacts): FailureFacts {
  return failure.effect === 'unknown' && failure.next.by === 'nobody'
    ? { ...failure, next: { by: 'nobody', advice: 'hand_off' } }
    : failure;
}

/** An unknown effect is nobody's to repeat, whatever the kind would allow otherwise; a wait has its length. */
function nextStep(kind: FailureKind, effect: EffectSeen, details: object): Next {
  if ('duplicate' in details && details.duplicate === true) {
    return { by: 'nobody', advice: 'hand_off' };
  }
  const next = nextByKind[kind];
  if (effect === 'unknown' && next.by !== 'guard') return { by: 'nobody', advice: 'do_not_retry' };
  const afterMs = 'retryAfterMs' in details ? details.retryAfterMs : undefined;
  return next.advice === 'wait' && typeof afterMs === 'number' ? { ...next, afterMs } : next;
}
