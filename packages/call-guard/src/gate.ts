import { attemptTimeoutMs } from '@holdfast/tool-registry';
import { admit, refuseLoop } from './call/admit.js';
import type { CallAnswer } from './call/answer.js';
import { attempt, type Late } from './call/attempt.js';
import type { Attempted, Settled, Stopped, Validated } from './call/call.js';
import { flightKey, refuse } from './call/call.js';
import { declare } from './call/declare.js';
import type { CallHost } from './call/host.js';
import { recall } from './call/recall.js';
import type { CallRequest, Execute } from './call/request.js';
import { resolve } from './call/resolve.js';
import { settle, submitLate } from './call/settle.js';
import { shape } from './call/shape.js';
import { withStepsBefore } from './call/steps-before.js';
import { subjectOf } from './call/subject.js';
import { timeOf } from './call/time.js';
import { validate } from './call/validate.js';
import { currentWishes, isInsideRetries } from './call-context.js';
import type { FailureFacts } from './failure.js';
import type { GateParts } from './gate-parts.js';
import { failed } from './next-step.js';
import type { Lead } from './run/flights.js';
import { actionDigest, resultDigest } from './run/loop-guard.js';
import { stoppedCall } from './stopped-calls.js';

/**
 * Walks one call through its stages, in their order. The only place with a `finally`: whatever happens,
 * the call's turn among equal ones is given back. `execute` is absent where the agent has no such tool.
 */
export async function passGate(
  request: CallRequest,
  host: CallHost,
  execute: Execute<unknown, unknown> | undefined,
  parts: GateParts,
): Promise<CallAnswer<unknown>> {
  if (execute !== undefined) parts.executors.check([request.tool]);
  const resolved = resolve(request, host, {
    registry: parts.registry,
    executable: execute !== undefined,
    time: timeOf(request, host, parts),
    insideRetries: isInsideRetries(),
  });
  parts.emit('call_started', subjectOf(resolved), classOf(resolved));
  if (resolved.at !== 'resolved' || execute === undefined) {
    const end = resolved as Stopped;
    return leave(refuseLoop(end, actionDigest(request.tool, request.args), parts) ?? end, parts);
  }
  const validated = await validate(resolved);
  if (validated.at !== 'validated') {
    const loop = refuseLoop(validated, actionDigest(request.tool, request.args), parts);
    return leave(loop ?? validated, parts);
  }
  const turn = await takeTurn(validated, parts);
  if (turn !== undefined && 'at' in turn) return leave(turn, parts);
  let end: Settled | Stopped | undefined;
  try {
    end = await withStepsBefore(await run(validated, execute, turn, parts), validated, parts);
    return await leave(end, parts);
  } finally {
    turn?.end(end === undefined ? undefined : sharedFailure(end));
  }
}

async function run(
  given: Validated,
  execute: Execute<unknown, unknown>,
  lead: Lead | undefined,
  parts: GateParts,
): Promise<Settled | Stopped> {
  let call = given;
  for (;;) {
    const recalled = await recall(call, parts);
    if (recalled.at !== 'recalled') return recalled;
    const admitted = await admit(recalled, parts);
    if (admitted.at === 'changed') {
      call = admitted.call;
      continue;
    }
    if (admitted.at !== 'admitted') return admitted;
    const { permit } = admitted;
    let tried: Awaited<ReturnType<typeof attempt>>;
    try {
      const declared = await declare(admitted, parts);
      if (declared.at === 'outrun') continue;
      if (declared.at !== 'declared') return declared;
      tried = await attempt(declared, execute, parts);
    } finally {
      permit.release();
    }
    const { attempted, late } = tried;
    const settled = await settle(attempted, parts);
    const lateIsOver = awaitLate(attempted, late, parts);
    // Equal calls wait for it only while nothing is known.
    if (lead !== undefined && attempted.outcome.outcome === 'unknown') {
      lead.flight.late = lateIsOver;
    }
    return settled;
  }
}

/** Equal calls under way come first; a call inside an equal one would wait for itself. */
async function takeTurn(call: Validated, parts: GateParts): Promise<Lead | Stopped | undefined> {
  if (call.wish === undefined || parts.removed.has('single-flight')) return undefined;
  const key = flightKey(call.host.run, call.wish);
  if (currentWishes().includes(key)) return refuse(call, failed('in_flight', 'unknown', {}));
  const lateMs = call.contract.declared ? attemptTimeoutMs(call.contract.entry) : undefined;
  const { signal } = call.request;
  const turn = await parts.flights.take(key, {
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
  }
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

async function leave(end: Settled | Stopped, parts: GateParts): Promise<CallAnswer<unknown>> {
  const { run } = end.host;
  const failure = failureOf(end);
  const effect = end.at === 'folded' || end.at === 'settled' ? end.effect : undefined;
  const key = effect?.key ?? (end.at === 'refused' ? end.key : undefined);
  if (end.at === 'folded') {
    run.consumed.add(end.effect.key);
    parts.emit('effect_folded', subjectOf(end, { key }), { how: end.how });
  }
  parts.emit('call_finished', subjectOf(end, { key }), {
    outcome: outcomeOf(end),
    attempts: end.at === 'settled' ? end.tries : 0,
    repairs: end.at === 'settled' ? end.repairs : [],
    ...(failure === undefined ? {} : { kind: failure.kind }),
  });
  const answer = await shape(end);
  observe(end, answer, parts);
  const stopped = answer.ok ? undefined : stoppedCall(answer.failure);
  if (stopped !== undefined) parts.stopped.note(stopped);
  if (!end.host.isOwn) {
    run.ends.push({
      tool: end.request.tool,
      callId: end.request.callId,
      ...(answer.ok ? {} : { failure: answer.failure }),
    });
  }
  return answer;
}

/** What the loop guard sees of a call: every end but an earlier result, and its own refusals. */
function observe(end: Settled | Stopped, answer: CallAnswer<unknown>, parts: GateParts): void {
  const { host, request } = end;
  if (end.at === 'folded' || host.isOwn) return;
  if (!answer.ok && answer.failure.kind === 'loop_detected') return;
  const result = answer.ok
    ? resultDigest(host.typedResult?.(answer.result) ?? answer.result)
    : `failed: ${answer.failure.kind}, ${answer.failure.effect}`;
  host.run.loops.observe(actionDigest(request.tool, request.args), result, {
    messageId: request.place?.messageId,
    at: parts.clock.monotonicMs(),
  });
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
