import type { Effect } from '@holdfast/effect-ledger';
import type { EventDetails, EventSubject } from '../events/event.js';
import { typicalMs } from '../expected-latency.js';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { failed, withEffect } from '../next-step.js';
import type { ProgressUpdate } from '../progress.js';
import { emitProbed, probeEffect } from '../recovery/probe.js';
import { isAssumedDone, keyProtects } from '../recovery/recover.js';
import { backoffMs } from '../retry/backoff.js';
import type { RetryBudget } from '../retry/budget.js';
import { decideRetry, type RetryDecision } from '../retry/decide.js';
import { after, type Soon } from '../soon.js';
import {
  type Attempted,
  type Declared,
  effectSoFar,
  type Outcome,
  outcomeOfFailure,
  type TryPermit,
} from './call.js';
import { draftOf } from './draft.js';
import { sentArguments } from './frozen-arguments.js';
import { askPermit, isOpen } from './permit.js';
import { credentialsNow, credentialsWorked, withNewCredentials } from './renew-credentials.js';
import type { Execute } from './request.js';
import { assumedDone } from './settle-without-sending.js';
import { withParts } from './step.js';
import { subjectOf } from './subject.js';
import { boundMs, noTimeLeft, timeFor } from './time.js';
import { type LateAnswer, type TryEnd, tryOnce } from './try-once.js';

/** What may still come after the pass. */
export interface Late {
  /** What tries that were given up say later. */
  readonly answers: readonly Promise<LateAnswer | undefined>[];
  /** Whether one try alone is in doubt, so that its failure would settle the row. */
  readonly soleDoubt: boolean;
}

/**
 * Does it: the tries that the class allows, then for an unknown outcome the question to the other side.
 * The permit is given back on every path.
 *
 * @param then what follows, in the turn in which the last try ends
 */
export function attempt<T>(
  call: Declared,
  execute: Execute<unknown, unknown>,
  parts: GateParts,
  then: (attempted: Attempted, late: Late) => Soon<T>,
): Soon<T> {
  const tooLate = noTimeLeft(call, parts);
  if (tooLate !== undefined) {
    call.permit.release();
    const attempted = finish(call, outcomeOfFailure(tooLate), 0, true, parts);
    return then(attempted, { answers: [], soleDoubt: false });
  }
  const { effect, permit } = call;
  if (effect === undefined) return new Tries(call, execute, parts, then).next(permit);
  const tries = new Tries(call, execute, parts, (attempted, late) => ({ attempted, late }));
  return renewedWhile(effect, call, parts, () => tries.next(permit)).then(({ attempted, late }) =>
    then(attempted, late),
  );
}

/** The tries of one call, one after the other. */
class Tries<T> {
  #tries = 0;
  /** When the last one began, in monotonic milliseconds. */
  #startedAt = 0;
  #timeouts = 0;
  #keyCarried = true;
  /** Tries that nobody knows the outcome of; one of before is not made certain by one that fails. */
  #doubts: number;
  #stepsDone: readonly string[] = [];
  readonly #answers: Promise<LateAnswer | undefined>[] = [];

  constructor(
    private readonly call: Declared,
    private readonly execute: Execute<unknown, unknown>,
    private readonly parts: GateParts,
    private readonly then: (attempted: Attempted, late: Late) => Soon<T>,
  ) {
    this.#doubts = effectSoFar(call) === 'unknown' ? 1 : 0;
  }

  /** One more, and what follows from it. */
  next(permit: TryPermit): Promise<T> {
    const { call, parts } = this;
    this.#tries += 1;
    try {
      const nowMs = parts.clock.monotonicMs();
      this.#startedAt = nowMs;
      if (this.#tries === 1) retryBudgetOf(call, parts)?.deposit(nowMs);
      const { timeoutMs, timeoutLimit } = timeFor(call, this.#timeouts, parts);
      const asAdmitted = timeoutMs === call.timeoutMs && timeoutLimit === call.timeoutLimit;
      const now: Declared = asAdmitted ? call : { ...call, timeoutMs, timeoutLimit };
      parts.emit('attempt_started', subjectOfTry, startOf, { call: now, attempt: this.#tries });
      const ticket = credentialsNow(call, parts);
      const trying = tryOnce(now, this.execute, { attempt: this.#tries, nowMs }, parts);
      return trying.first.then((first) => {
        try {
          return this.#ended(trying.end(first), permit, ticket);
        } finally {
          permit.release();
          trying.over();
        }
      });
    } catch (error) {
      permit.release();
      throw error;
    }
  }

  #ended(end: TryEnd, permit: TryPermit, ticket: number): Soon<T> {
    const { call, parts } = this;
    const { outcome } = end;
    const nowMs = parts.clock.monotonicMs();
    const endPermit = (): void => permit.end(outcome, nowMs - this.#startedAt, nowMs);
    if (end.late !== undefined) this.#answers.push(end.late);
    this.#keyCarried &&= end.keyCarried;
    if (end.stepsDone.length > 0) {
      this.#stepsDone = [...new Set([...this.#stepsDone, ...end.stepsDone])];
    }
    const failure = 'failure' in outcome ? outcome.failure : undefined;
    parts.emit('attempt_finished', subjectOfTry, finishOf, { call, attempt: this.#tries, outcome });
    if (outcome.outcome === 'succeeded') credentialsWorked(call, ticket, parts);
    if (failure === undefined) {
      // Whoever waits for the answer need not wait for what is noted of it.
      try {
        return this.#over(outcome);
      } finally {
        endPermit();
      }
    }
    endPermit();
    // A try that failed after a step of its has left something behind, whatever the tries after it do.
    if (outcome.outcome === 'unknown' || this.#stepsDone.length > 0) this.#doubts += 1;
    if (failure.kind === 'timed_out') this.#timeouts += 1;
    return this.#failed(outcome, failure, ticket);
  }

  /** Another try, if there may be one. */
  async #failed(outcome: Outcome, failure: FailureFacts, ticket: number): Promise<T> {
    const { call, parts } = this;
    const tries = this.#tries;
    const mayTry =
      ((await withNewCredentials(call, failure, { tries, ticket }, parts)) ||
        (await mayTryAgain(call, failure, tries, this.#keyCarried, parts))) &&
      (await isStillOurs(call, parts)) &&
      noTimeLeft(call, parts) === undefined;
    if (!mayTry) return this.#over(outcome);
    const permit = askPermit(call, timeFor(call, this.#timeouts, parts).timeoutMs, parts);
    return 'refused' in permit ? this.#over(outcome) : this.next(permit);
  }

  #over(last: Outcome): Soon<T> {
    const { call, parts } = this;
    const whole = withDone(this.#doubts > 0 ? inDoubt(last) : last, this.#stepsDone);
    const known =
      whole.outcome === 'unknown' ? settleUnknown(call, whole, this.#tries, parts) : whole;
    return after(known, (outcome) =>
      this.then(finish(call, outcome, this.#tries, this.#keyCarried, parts), {
        answers: this.#answers,
        soleDoubt: this.#doubts === 1,
      }),
    );
  }
}

/** A try that events tell of. */
interface ToldTry {
  readonly call: Declared;
  readonly attempt: number;
}

function subjectOfTry({ call }: ToldTry): EventSubject {
  const { attemptId, effect } = call;
  return subjectOf(call, { key: effect?.key, attemptId });
}

function startOf({ call, attempt }: ToldTry): EventDetails['attempt_started'] {
  const { timeoutMs } = call;
  return { attempt, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function finishOf({
  attempt,
  outcome,
}: ToldTry & { readonly outcome: Outcome }): EventDetails['attempt_finished'] {
  return {
    attempt,
    outcome: outcome.outcome === 'confirmed' ? 'succeeded' : outcome.outcome,
    ...('failure' in outcome ? { kind: outcome.failure.kind } : {}),
  };
}

function retryBudgetOf({ contract }: Declared, parts: GateParts): RetryBudget | undefined {
  return contract.declared ? parts.retryBudgets.of(contract.entry.resourceGroup) : undefined;
}

/** Before another try: a process that slept too long may have been taken over, and must not send again. */
async function isStillOurs({ effect, host }: Declared, parts: GateParts): Promise<boolean> {
  if (effect === undefined) return true;
  try {
    const [row] = await parts.ledger.find({ key: effect.key });
    if (row?.version !== effect.version) return false;
    return await parts.ledger.renew(effect.runId, host.run.claimant(undefined, effect.runId));
  } catch {
    return false;
  }
}

/** The outcome of all tries: a failure, or a pause, proves nothing about the tries before it. */
function inDoubt(outcome: Outcome): Outcome {
  if (outcome.outcome === 'suspended') return { ...outcome, inDoubt: true };
  if (outcome.outcome !== 'failed') return outcome;
  return { outcome: 'unknown', failure: withEffect(outcome.failure, 'unknown') };
}

/** A failure after steps that are done is none of nothing. */
function withDone(outcome: Outcome, stepsDone: readonly string[]): Outcome {
  if (outcome.outcome !== 'failed' && outcome.outcome !== 'unknown') return outcome;
  const failure = withParts(outcome.failure, stepsDone);
  return { outcome: failure.effect === 'unknown' ? 'unknown' : outcome.outcome, failure };
}

function finish(
  call: Declared,
  outcome: Outcome,
  tries: number,
  keyCarried: boolean,
  parts: GateParts,
): Attempted {
  const draft = draftOf(call);
  draft.at = 'attempted';
  draft.outcome = outcome;
  draft.tries = tries;
  draft.keyCarried = keyCarried;
  const attempted = draft as Attempted;
  if (keyCarried || call.contract.class !== 'idempotent-write') return attempted;
  const message = `${call.request.tool} did not send its key, so it is treated as irreversible: read currentCall().headers() or use guardedFetch`;
  parts.emit('warning', subjectOf(call, { key: call.effect?.key }), {
    code: 'key_not_carried',
    message,
  });
  return { ...attempted, warnings: [...attempted.warnings, `key_not_carried: ${message}`] };
}

/** Decides about another try, and waits before it. */
async function mayTryAgain(
  call: Declared,
  failure: FailureFacts,
  tries: number,
  keyCarried: boolean,
  parts: GateParts,
): Promise<boolean> {
  const { signal } = call.request;
  const subject = subjectOf(call, { key: call.effect?.key, attemptId: call.attemptId });
  const decision = decideAgain(call, failure, tries, keyCarried, parts);
  if (!decision.retry) {
    closeUntilAsked(call, failure, decision.closedForMs, parts);
    parts.emit('retry_denied', subject, { attempt: tries, why: decision.why, kind: failure.kind });
    return false;
  }
  retryBudgetOf(call, parts)?.withdraw();
  const { waitMs, directedBy } = decision;
  const attempt = tries + 1;
  parts.emit('retry_scheduled', subject, { attempt, waitMs, directedBy, kind: failure.kind });
  showProgress(call, { attempt, waitMs, directedBy, because: failure.kind }, parts);
  try {
    await parts.clock.sleep(waitMs, signal);
    return true;
  } catch {
    // The caller gave up while we waited; what is known of the last try stands.
    return false;
  }
}

/** Whether the class, the limits and the state of the service allow another try of the call. */
export function decideAgain(
  call: Declared,
  failure: FailureFacts,
  tries: number,
  keyCarried: boolean,
  parts: GateParts,
): RetryDecision {
  const { contract, effect, insideRetries, request } = call;
  const jitterMs = backoffMs(tries, parts.limits, parts.random);
  const budget = retryBudgetOf(call, parts);
  if (parts.removed.has('class-rules')) {
    return tries < parts.limits.attempts
      ? { retry: true, waitMs: jitterMs, directedBy: 'guard' }
      : { retry: false, why: 'no tries left' };
  }
  return decideRetry({
    class: contract.class,
    failure,
    tries,
    most: parts.limits.attempts,
    keyProtects:
      keyCarried && effect !== undefined && keyProtects(effect, contract, parts.clock.wallMs()),
    cancelled: request.signal?.aborted ?? false,
    insideRetries: insideRetries && !parts.removed.has('retry-scope'),
    breakerAllows: parts.removed.has('circuit-breaker') || !isOpen(call, parts),
    budgetAllows: parts.removed.has('retry-budget') || budget === undefined || budget.left() >= 1,
    leftMs: boundMs(call, parts),
    typicalMs: contract.declared ? typicalMs(contract.entry) : 0,
    jitterMs,
    longestWaitMs: parts.limits.retryAfterMaxMs,
  });
}

/** A wait that the other side asked for and that nobody waits for: until then it is not called at all. */
function closeUntilAsked(
  { contract, request }: Declared,
  { kind }: FailureFacts,
  closedForMs: number | undefined,
  parts: GateParts,
): void {
  if (closedForMs === undefined || !contract.declared || parts.removed.has('circuit-breaker'))
    return;
  // Asked of a call inside of it, which has closed its own way.
  if (kind === 'dependency_failed') return;
  // A quota is shared by all that use the service; an overload may be the one tool's.
  const of =
    kind === 'rate_limited'
      ? ({ scope: 'group', name: contract.entry.resourceGroup } as const)
      : ({ scope: 'tool', name: request.tool } as const);
  const cause = `${kind}: it asked to wait ${closedForMs} ms`;
  parts.breakers.openFor(of, closedForMs, cause, parts.probesInLongWaits);
}

function showProgress(
  { host, request }: Declared,
  update: Pick<ProgressUpdate, 'attempt' | 'waitMs' | 'directedBy' | 'because'>,
  parts: GateParts,
): void {
  const whole: ProgressUpdate = {
    what: 'waiting_to_retry',
    tool: request.tool,
    callId: request.callId,
    runId: host.run.runId,
    ...update,
  };
  host.progress?.(whole);
  parts.onProgress(whole);
}

/** An unknown outcome: what the other side says of it now, or what its entry lets it count as. */
async function settleUnknown(
  call: Declared,
  outcome: Extract<Outcome, { failure: unknown }>,
  tries: number,
  parts: GateParts,
): Promise<Outcome> {
  const { contract, effect, host } = call;
  const canBeAsked =
    effect !== undefined && contract.declared && outcome.failure.kind !== 'cancelled';
  if (!canBeAsked) return outcome;
  const undecided = (): Outcome =>
    isAssumedDone(contract) ? { outcome: 'confirmed', ...assumedDone } : outcome;
  if (contract.entry.probe === undefined || parts.removed.has('probe')) return undecided();
  const sent = await sentArguments(effect, contract.entry);
  const finding = await probeEffect(
    endedNow(effect, tries, parts),
    contract.entry,
    sent?.args ?? call.args,
    host.run,
    parts,
  );
  emitProbed(call, { key: effect.key, attemptId: call.attemptId }, finding, parts);
  switch (finding.found) {
    case 'one':
      return {
        outcome: 'confirmed',
        evidence: finding.evidence,
        ...(finding.result === undefined ? {} : { result: finding.result }),
      };
    case 'absent':
      return { outcome: 'failed', failure: withEffect(outcome.failure, 'none') };
    case 'many': {
      const since = parts.clock.wallMs();
      const details = { key: effect.key, since, checking: false, duplicate: true };
      return { outcome: 'unknown', failure: failed('outcome_unknown', 'unknown', details) };
    }
    case 'pending':
      return outcome;
    case 'cannot-tell':
      return undecided();
  }
}

/** The row with its pass as it will be written down: over by now. */
function endedNow(effect: Effect, tries: number, parts: GateParts): Effect {
  const last = effect.attempts.at(-1);
  if (last === undefined) return effect;
  const ended = { ...last, tries, endedAt: parts.clock.wallMs() };
  return { ...effect, attempts: [...effect.attempts.slice(0, -1), ended] };
}

/** A claim counts as alive for the lease only; work that takes longer renews it, three times within it. */
async function renewedWhile<T>(
  effect: Effect,
  { host }: Declared,
  parts: GateParts,
  work: () => Promise<T>,
): Promise<T> {
  let stop = (): void => {};
  const again = (): void => {
    stop = parts.clock.alarm(parts.limits.leaseMs / 3, false, () => {
      again();
      // A stale epoch or a store that is away: the row will read as unknown, which is the truth.
      parts.ledger.renew(effect.runId, host.run.claimant(undefined, effect.runId)).catch(() => {});
    });
  };
  again();
  try {
    return await work();
  } finally {
    stop();
  }
}
