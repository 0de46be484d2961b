import type { GateParts } from '../gate-parts.js';
import { withEffect } from '../next-step.js';
import { probeEffect } from '../recovery/probe.js';
import { keyProtects } from '../recovery/recover.js';
import { backoffMs } from '../retry/backoff.js';
import { decideRetry } from '../retry/decide.js';
import { type Attempted, type Declared, type Execute, effectSoFar, type Outcome } from './call.js';
import { sentArguments } from './frozen-arguments.js';
import { subjectOf } from './subject.js';
import { type LateAnswer, tryOnce } from './try-once.js';

/** What may still come after the pass. */
export interface Late {
  /** What tries that were given up say later. */
  readonly answers: readonly Promise<LateAnswer | undefined>[];
  /** Whether one try alone is in doubt, so that its failure would settle the row. */
  readonly soleDoubt: boolean;
}

/** Does it: the tries that the class allows, then for an unknown outcome the question to the other side. */
export async function attempt(
  call: Declared,
  execute: Execute<unknown, unknown>,
  parts: GateParts,
): Promise<{ readonly attempted: Attempted; readonly late: Late }> {
  const answers: Promise<LateAnswer | undefined>[] = [];
  // An unknown outcome of before is not made certain by a try that fails.
  let doubts = effectSoFar(call) === 'unknown' ? 1 : 0;
  const stopRenewing = renewWhileWorking(call, parts);
  try {
    let keyCarried = true;
    for (let tries = 1; ; tries += 1) {
      const subject = subjectOf(call, { key: call.effect?.key, attemptId: call.attemptId });
      parts.emit('attempt_started', subject, {
        attempt: tries,
        ...(call.timeoutMs === undefined ? {} : { timeoutMs: call.timeoutMs }),
      });
      const end = await tryOnce(call, execute, tries, parts);
      if (end.late !== undefined) answers.push(end.late);
      keyCarried = keyCarried && end.keyCarried;
      const { outcome } = end;
      if (outcome.outcome === 'unknown') doubts += 1;
      parts.emit('attempt_finished', subject, {
        attempt: tries,
        outcome: outcome.outcome === 'confirmed' ? 'succeeded' : outcome.outcome,
        ...('failure' in outcome ? { kind: outcome.failure.kind } : {}),
      });
      const again =
        (await mayTryAgain(call, outcome, tries, keyCarried, parts)) &&
        (await isStillOurs(call, parts));
      if (!again) {
        const whole = doubts > 0 ? inDoubt(outcome) : outcome;
        const known = await settleUnknown(call, whole, parts);
        const attempted = finish(call, known, tries, keyCarried, parts);
        return { attempted, late: { answers, soleDoubt: doubts === 1 } };
      }
    }
  } finally {
    stopRenewing();
  }
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

/** The outcome of all tries: a failure proves nothing about the tries before it. */
function inDoubt(outcome: Outcome): Outcome {
  if (outcome.outcome !== 'failed') return outcome;
  return { outcome: 'unknown', failure: withEffect(outcome.failure, 'unknown') };
}

function finish(
  call: Declared,
  outcome: Outcome,
  tries: number,
  keyCarried: boolean,
  parts: GateParts,
): Attempted {
  const attempted: Attempted = { ...call, at: 'attempted', outcome, tries, keyCarried };
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
  outcome: Outcome,
  tries: number,
  keyCarried: boolean,
  parts: GateParts,
): Promise<boolean> {
  if (!('failure' in outcome)) return false;
  const { failure } = outcome;
  const { signal } = call.request;
  const subject = subjectOf(call, { key: call.effect?.key, attemptId: call.attemptId });
  const decision = parts.removed.has('class-rules')
    ? { retry: tries < parts.limits.attempts }
    : decideRetry({
        class: call.contract.class,
        failure,
        tries,
        most: parts.limits.attempts,
        keyProtects:
          keyCarried &&
          call.effect !== undefined &&
          keyProtects(call.effect, call.contract, parts.clock.wallMs()),
        cancelled: signal?.aborted ?? false,
      });
  if (!decision.retry) {
    const why = 'why' in decision ? decision.why : 'no tries left';
    parts.emit('retry_denied', subject, { attempt: tries, why, kind: failure.kind });
    return false;
  }
  const waitMs = backoffMs(tries, parts.limits, parts.random);
  parts.emit('retry_scheduled', subject, { attempt: tries + 1, waitMs, kind: failure.kind });
  try {
    await parts.clock.sleep(waitMs, signal);
    return true;
  } catch {
    // The caller gave up while we waited; what is known of the last try stands.
    return false;
  }
}

/** An unknown outcome whose tool can be asked: what the other side says of it now. */
async function settleUnknown(call: Declared, outcome: Outcome, parts: GateParts): Promise<Outcome> {
  const { contract, effect, host } = call;
  const probes =
    outcome.outcome === 'unknown' &&
    effect !== undefined &&
    contract.declared &&
    contract.entry.probe !== undefined &&
    outcome.failure.kind !== 'cancelled' &&
    !parts.removed.has('probe');
  if (!probes) return outcome;
  const sent = await sentArguments(effect, contract.entry);
  const finding = await probeEffect(
    effect,
    contract.entry,
    sent?.args ?? call.args,
    host.run,
    parts.ask,
  );
  parts.emit('effect_probed', subjectOf(call, { key: effect.key, attemptId: call.attemptId }), {
    found: finding.found,
    ...('why' in finding ? { why: finding.why } : {}),
  });
  switch (finding.found) {
    case 'one':
      return {
        outcome: 'confirmed',
        evidence: finding.evidence,
        ...(finding.result === undefined ? {} : { result: finding.result }),
      };
    case 'absent':
      return { outcome: 'failed', failure: withEffect(outcome.failure, 'none') };
    case 'cannot-tell':
      return outcome;
  }
}

/** A claim counts as alive for the lease only; work that takes longer renews it, three times within it. */
function renewWhileWorking(call: Declared, parts: GateParts): () => void {
  const { effect, host } = call;
  if (effect === undefined) return () => {};
  let stop = (): void => {};
  const again = (): void => {
    stop = parts.clock.alarm(parts.limits.leaseMs / 3, false, () => {
      again();
      // A stale epoch or a store that is away: the row will read as unknown, which is the truth.
      parts.ledger.renew(effect.runId, host.run.claimant(undefined, effect.runId)).catch(() => {});
    });
  };
  again();
  return () => stop();
}
