import type { EffectKey } from '@holdfast/effect-ledger';
import { attemptTimeoutMs } from '@holdfast/tool-registry';
import { admit, refuseLoop } from './call/admit.js';
import type { CallAnswer } from './call/answer.js';
import { attempt, type Late } from './call/attempt.js';
import type { Attempted, Settled, Stopped, Validated, Wish } from './call/call.js';
import { flightKey, isPolled, refuse } from './call/call.js';
import { declare } from './call/declare.js';
import type { CallHost } from './call/host.js';
import { ledgerFailure } from './call/ledger-failure.js';
import { recall } from './call/recall.js';
import { answeredMeanwhile } from './call/repetition.js';
import type { CallRequest, Execute } from './call/request.js';
import { resolve } from './call/resolve.js';
import { settle, submitLate } from './call/settle.js';
import { shape } from './call/shape.js';
import { withStepsBefore } from './call/steps-before.js';
import { subjectOf } from './call/subject.js';
import { timeOf } from './call/time.js';
import { validate } from './call/validate.js';
import { currentWishes, isInsideRetries } from './call-context.js';
import type { EventDetails, EventSubject } from './events/event.js';
import type { FailureFacts } from './failure.js';
import type { GateParts } from './gate-parts.js';
import { failed } from './next-step.js';
import type { Lead } from './run/flights.js';
import { type ActionDigest, actionDigest, failureDigest, resultDigest } from './run/loop-guard.js';
import { after, promiseOf, type Soon } from './soon.js';
import { stoppedCall } from './stopped-calls.js';

/** As long as most tools take: of one without an entry nothing is known. */
const UNDECLARED_PATIENCE_MS = 10_000;

/**
 * Walks one call through its stages, in their order. Each goes on at once where it has nothing to wait for,
 * and what follows the tool's answer happens in the turn in which it comes: a promise for each stage would
 * take longer than the stages do.
 */
export function passGate(
  request: CallRequest,
  host: CallHost,
  execute: Execute<unknown, unknown> | undefined,
  parts: GateParts,
): Promise<CallAnswer<unknown>> {
  return promiseOf(pass, request, host, execute, parts);
}

function pass(
  request: CallRequest,
  host: CallHost,
  execute: Execute<unknown, unknown> | undefined,
  parts: GateParts,
): Soon<CallAnswer<unknown>> {
  if (execute !== undefined) parts.executors.checkTool(request.tool);
  const action = actionDigest(request.tool, request.args, parts.memories.get(request.tool)?.asked);
  const resolved = resolve(request, host, {
    registry: parts.registry,
    executable: execute !== undefined,
    time: timeOf(request, host, parts),
    insideRetries: isInsideRetries(),
    action,
  });
  parts.emit('call_started', subjectOf, classOf, resolved);
  if (resolved.at !== 'resolved' || execute === undefined) {
    return leaveUnread(resolved as Stopped, action, parts);
  }
  return after(validate(resolved, parts), (validated) => {
    if (validated.at !== 'validated') return leaveUnread(validated, action, parts);
    const { wish } = validated;
    // What has no effect waits for no equal call, and has no row that an earlier pass of it might have left.
    return wish === undefined
      ? run(validated, execute, parts, (end) => leave(end, action, parts))
      : passInTurn(validated, wish, execute, parts);
  });
}

/** A call with an effect: after the equal ones under way, whose turn it gives back whatever happens. */
async function passInTurn(
  validated: Validated,
  wish: Wish,
  execute: Execute<unknown, unknown>,
  parts: GateParts,
): Promise<CallAnswer<unknown>> {
  const { action } = validated;
  const turn = await takeTurn(validated, wish, parts);
  if (turn !== undefined && 'at' in turn) return leave(turn, action, parts);
  let end: Settled | Stopped | undefined;
  try {
    const passed =
      (turn?.behind && (await answeredBefore(validated, turn.behind, parts))) ??
      (await run(validated, execute, parts, (ended, late) => {
        // Equal calls wait for it only while nothing is known.
        if (turn !== undefined && isUnknown(ended)) turn.flight.late = late;
        return ended;
      }));
    if (turn !== undefined) turn.flight.effect = keyOf(passed);
    end = await withStepsBefore(passed, validated, parts);
    return await leave(end, action, parts);
  } finally {
    turn?.end(end === undefined ? undefined : sharedFailure(end));
  }
}

/** By the equal call that it has waited for, where the two are one. */
async function answeredBefore(
  call: Validated,
  equal: EffectKey,
  parts: GateParts,
): Promise<Stopped | undefined> {
  try {
    return await answeredMeanwhile(call, equal, parts);
  } catch (error) {
    return refuse(call, ledgerFailure(error, 'none'));
  }
}

/** The row that a call has worked on, or was answered from. */
function keyOf(end: Settled | Stopped): EffectKey | undefined {
  switch (end.at) {
    case 'refused':
      return end.key;
    case 'paused':
      return undefined;
    default:
      return end.effect?.key;
  }
}

/**
 * From recall to settle; again from recall where what is known has moved on meanwhile.
 *
 * @param then what is made of the end; `late` settles when requests that outlived the pass have answered
 */
function run<T>(
  call: Validated,
  execute: Execute<unknown, unknown>,
  parts: GateParts,
  then: (end: Settled | Stopped, late?: Promise<void>) => Soon<T>,
): Soon<T> {
  return after(recall(call, parts), (recalled) => {
    if (recalled.at !== 'recalled') return then(recalled);
    return after(admit(recalled, parts), (admitted) => {
      if (admitted.at === 'changed') return run(admitted.call, execute, parts, then);
      if (admitted.at !== 'admitted') return then(admitted);
      return after(declare(admitted, parts), (declared) => {
        if (declared.at === 'outrun') return run(call, execute, parts, then);
        if (declared.at !== 'declared') return then(declared);
        return attempt(declared, execute, parts, (attempted, late) =>
          after(settle(attempted, parts), (settled) =>
            then(settled, awaitLate(attempted, late, parts)),
          ),
        );
      });
    });
  });
}

/** Equal calls under way come first; a call inside an equal one would wait for itself. */
async function takeTurn(
  call: Validated,
  wish: Wish,
  parts: GateParts,
): Promise<Lead | Stopped | undefined> {
  if (parts.removed.has('single-flight')) return undefined;
  const key = flightKey(call.host.run, wish);
  if (currentWishes().includes(key)) return refuse(call, failed('in_flight', 'unknown', {}));
  const lateMs = latePatienceMs(call);
  const { signal } = call.request;
  const turn = await parts.flights.take(key, {
    leftMs: () => call.time.leftMs(),
    ...(lateMs === undefined ? {} : { lateMs }),
    ...(signal === undefined ? {} : { signal }),
  });
  switch (turn.turn) {
    case 'lead':
      return turn.lead;
    case 'shared':
      return refuse(call, turn.failure);
    case 'cancelled':
      return refuse(call, failed('cancelled', 'unknown', { by: 'caller' }));
    case 'out-of-time':
      return refuse(call, failed('in_flight', 'unknown', {}));
  }
}

/**
 * For how long an equal call waits for an answer that outlived its pass, in milliseconds; undefined: until
 * that is given up. Where no turn tells, a caller that gave up and asks again must not wait for a server that
 * answers nothing that was cancelled.
 */
function latePatienceMs({ contract, host, time }: Validated): number | undefined {
  if (contract.declared) return attemptTimeoutMs(contract.entry);
  if (host.repetition === undefined) return undefined;
  return Math.min(UNDECLARED_PATIENCE_MS, time.leftMs());
}

/** Requests that outlived the pass settle the row when they answer. Undefined if there are none. */
function awaitLate(call: Attempted, late: Late, parts: GateParts): Promise<void> | undefined {
  const { effect } = call;
  if (late.answers.length === 0 || effect === undefined) return undefined;
  const answers = late.answers.map(async (answer) => {
    const known = await answer;
    if (known === undefined) return;
    // An error that does not prove the opposite, of all that was tried, leaves the outcome unknown.
    const settles = 'output' in known || (known.failure.effect === 'none' && late.soleDoubt);
    if (settles) await submitLate(call, effect, known, parts);
  });
  return Promise.allSettled(answers).then(() => {});
}

/**
 * What equal calls that waited need not find out again: that it was tried in vain, or that nothing can be
 * written. A refusal for other reasons was about that call and not about its wish.
 */
function sharedFailure(end: Settled | Stopped): FailureFacts | undefined {
  const failure = failureOf(end);
  const shared = end.at === 'settled' || failure?.kind === 'ledger_unavailable';
  return shared && failure?.kind !== 'cancelled' ? failure : undefined;
}

/** Leaves with a call that cannot be read or whose tool is none: repeating it is a loop, too. */
function leaveUnread(
  end: Stopped,
  action: ActionDigest,
  parts: GateParts,
): Soon<CallAnswer<unknown>> {
  return leave(refuseLoop(end, action, parts) ?? end, action, parts);
}

function leave(
  end: Settled | Stopped,
  action: ActionDigest,
  parts: GateParts,
): Soon<CallAnswer<unknown>> {
  if (end.at === 'folded') {
    end.host.run.consumed.add(end.effect.key);
    parts.emit('effect_folded', subjectWithKey(end), { how: end.how });
  }
  parts.emit('call_finished', subjectWithKey, finishOf, end);
  return after(shape(end), (answer) => {
    // Whoever waits for it need not wait for what is noted of it.
    end.host.answer?.(answer);
    return noteAnswer(end, answer, action, parts);
  });
}

function subjectWithKey(end: Settled | Stopped): EventSubject {
  return subjectOf(end, { key: keyOf(end) });
}

function finishOf(end: Settled | Stopped): EventDetails['call_finished'] {
  const failure = failureOf(end);
  return {
    outcome: outcomeOf(end),
    attempts: end.at === 'settled' ? end.tries : 0,
    repairs: end.at === 'settled' ? end.repairs : [],
    ...(failure === undefined ? {} : { kind: failure.kind }),
  };
}

/** What is remembered of an answer: for the loop guard, for whoever decides about it, and for the report. */
function noteAnswer(
  end: Settled | Stopped,
  answer: CallAnswer<unknown>,
  action: ActionDigest,
  parts: GateParts,
): CallAnswer<unknown> {
  // A person may have made another one of it.
  observe(end, answer, end.at === 'settled' ? end.action : action, parts);
  const stopped = answer.ok ? undefined : stoppedCall(answer.failure);
  if (stopped !== undefined) parts.stopped.note(stopped);
  if (!end.host.isOwn) {
    const { tool, callId } = end.request;
    end.host.run.ends.note(
      answer.ok ? { tool, callId } : { tool, callId, failure: answer.failure },
    );
  }
  return answer;
}

/** What the loop guard sees of a call: every end but an earlier result, and its own refusals. */
function observe(
  end: Settled | Stopped,
  answer: CallAnswer<unknown>,
  action: ActionDigest,
  parts: GateParts,
): void {
  const { host, request } = end;
  if (end.at === 'folded' || host.isOwn) return;
  if (!answer.ok && answer.failure.kind === 'loop_detected') return;
  const whole = answer.ok ? wholeOf(end, answer.result) : undefined;
  const memory = parts.memories.get(request.tool);
  const result = answer.ok
    ? resultDigest(host.typedResult?.(whole) ?? whole, memory?.told)
    : failureDigest(answer.failure, memory?.failed);
  const at = isPolled(end.contract) ? parts.clock.monotonicMs() : undefined;
  host.run.loops.observe(action, result, request.place?.messageId, at);
}

/** What the tool said: two results that differ only in what was cut away are not the same. */
function wholeOf(end: Settled | Stopped, given: unknown): unknown {
  return end.at === 'settled' && end.outcome.outcome === 'succeeded' ? end.outcome.output : given;
}

function outcomeOf(
  end: Settled | Stopped,
): 'succeeded' | 'failed' | 'unknown' | 'folded' | 'suspended' {
  switch (end.at) {
    case 'folded':
      return 'folded';
    case 'paused':
      return 'suspended';
    case 'refused':
      return end.failure.effect === 'unknown' ? 'unknown' : 'failed';
    case 'settled':
      return end.outcome.outcome === 'confirmed' ? 'succeeded' : end.outcome.outcome;
  }
}

function isUnknown(end: Settled | Stopped): boolean {
  return end.at === 'settled' && end.outcome.outcome === 'unknown';
}

function failureOf(end: Settled | Stopped): FailureFacts | undefined {
  if (end.at === 'refused') return end.failure;
  if (end.at === 'settled' && 'failure' in end.outcome) return end.outcome.failure;
  return undefined;
}

function classOf(call: ReturnType<typeof resolve>): {
  class?: NonNullable<Validated['contract']>['class'];
} {
  return call.at === 'resolved' ? { class: call.contract.class } : {};
}
