import type { GuardEvent } from './event.js';

const FOUND = {
  one: 'it was done',
  many: 'it was done more than once',
  absent: 'it was not done',
  pending: 'it is still being done',
  'cannot-tell': 'it cannot tell',
};

/** A run's events as a story, a line each, with seconds since the first. */
export function renderTimeline(events: readonly GuardEvent[]): string {
  const [first] = events;
  if (first === undefined) return '';
  return events
    .map((event) => {
      const seconds = ((event.at - first.at) / 1_000).toFixed(3).padStart(8);
      return `${seconds} s  ${[subjectOf(event), sayingOf(event)].filter(Boolean).join('  ')}`;
    })
    .join('\n');
}

function subjectOf(event: GuardEvent): string {
  return event.tool === undefined ? '' : event.tool.padEnd(14);
}

function sayingOf(event: GuardEvent): string {
  const key = event.idempotencyKey === undefined ? '' : ` [${event.idempotencyKey.slice(0, 8)}]`;
  switch (event.type) {
    case 'run_started':
      return `run ${event.runId} started`;
    case 'run_resumed':
      return `run ${event.runId} resumed; ${event.skipped.length} effects already done, ${event.unknown.length} unknown`;
    case 'run_finished':
      return `run finished: ${event.status}`;
    case 'call_started':
      return `called (${event.class ?? 'no such tool'})`;
    case 'call_finished':
      return `answered: ${event.outcome}${event.kind === undefined ? '' : `, ${event.kind}`}${key}`;
    case 'attempt_started':
      return `attempt ${event.attempt}`;
    case 'attempt_finished':
      return `attempt ${event.attempt} ${event.outcome}${event.kind === undefined ? '' : `: ${event.kind}`}`;
    case 'retry_scheduled':
      return `will try again in ${event.waitMs} ms`;
    case 'retry_denied':
      return `not tried again: ${event.why}`;
    case 'auth_refreshed':
      return `credentials ${event.outcome === 'renewed' ? 'renewed' : `not renewed (${event.why ?? ''})`}`;
    case 'effect_declared':
      return `written to the ledger before the effect${key}`;
    case 'effect_settled':
      return `ledger: ${event.outcome}, by ${event.by}${key}`;
    case 'effect_folded':
      return `answered from the ledger (${event.how})${key}`;
    case 'result_trimmed':
      return `result cut from ${event.wholeBytes} to ${event.givenBytes} bytes`;
    case 'effect_probed':
      return `asked the other side: ${FOUND[event.found]}${event.why === undefined ? '' : ` (${event.why})`}`;
    case 'breaker_state_changed':
      return `breaker of ${event.scope} ${event.name}: ${event.from} to ${event.to} (${event.cause})`;
    case 'budget_allocated':
      return `deadline: ${event.deadlineMs} ms, ${Math.round(event.consumedMs)} ms used before (${event.source})`;
    case 'budget_exhausted':
      return `not started: needs ${Math.round(event.neededMs)} ms, ${Math.round(event.leftMs)} ms are left`;
    case 'loop_detected':
      return `refused: the same result ${event.repeats} times`;
    case 'mechanism_shadowed':
      return `shadow: ${event.mechanism} would have ${event.would}`;
    case 'history_repaired':
      return `history repaired: ${event.what} (${event.why})`;
    case 'step_finished':
      return `step ${event.step}: ${event.outcome}`;
    case 'question_asked':
      return `a person is asked: ${event.why}`;
    case 'question_answered':
      return `a person answered: ${event.decision}`;
    case 'warning':
      return `warning ${event.code}: ${event.message}`;
  }
}
