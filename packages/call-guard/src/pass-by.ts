import type { EffectKey } from '@holdfast/effect-ledger';
import { decideAgain } from './call/attempt.js';
import {
  type Declared,
  isPolled,
  type Outcome,
  outcomeOfFailure,
  type Stopped,
} from './call/call.js';
import { consent } from './call/consent.js';
import { declare } from './call/declare.js';
import { failureAmongResults } from './call/failure-among-results.js';
import type { CallHost } from './call/host.js';
import { askPermit } from './call/permit.js';
import { recall } from './call/recall.js';
import type { CallRequest } from './call/request.js';
import { resolve } from './call/resolve.js';
import { settle } from './call/settle.js';
import { subjectOf } from './call/subject.js';
import { timeFor, tooLittleTime } from './call/time.js';
import { validate } from './call/validate.js';
import type { CallContext } from './call-context.js';
import { classify } from './classify/classify.js';
import type { AttemptSetting } from './classify/reading-facts.js';
import type { GateParts } from './gate-parts.js';
import { onGivenUp } from './on-abort.js';
import { actionDigest, resultDigest } from './run/loop-guard.js';
import type { ShadowNote } from './shadow.js';

/** Does a call as the program would without a guard. */
export type Perform = (call: CallContext) => Promise<unknown>;

type Ended = { readonly output: unknown } | { readonly error: unknown };

/**
 * Lets a call happen as if there were no guard. In `shadow` it is judged and recorded beside, in a
 * namespace of its own: nothing is refused, folded, repaired, sent again, waited for or asked. Throws what
 * `perform` throws.
 */
export async function passBy(
  request: CallRequest,
  host: CallHost,
  perform: Perform,
  parts: GateParts,
): Promise<unknown> {
  const watches = host.run.modes.guard === 'shadow';
  const judging = besides(parts);
  const judged = watches ? await unharmed(() => judge(request, host, judging)) : undefined;
  const startedAt = parts.clock.monotonicMs();
  let ended: Ended;
  try {
    ended = { output: await perform(new UnguardedContext(request, host)) };
  } catch (error) {
    ended = { error };
  }
  if (watches)
    await unharmed(() => record(judged, request, host, { ...ended, startedAt }, judging));
  if ('error' in ended) throw ended.error;
  return ended.output;
}

/** A judge neither asks anybody nor waits for anybody. */
function besides(parts: GateParts): GateParts {
  return {
    ...parts,
    removed: new Set([...parts.removed, 'probe']),
    ask: async () => ({ ok: true, raw: undefined, result: undefined }),
  };
}

/** A judge that fails says nothing, and disturbs nobody. */
async function unharmed<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

/** Walks a call through the stages, as far as they would let it. Undefined where they would not. */
async function judge(
  request: CallRequest,
  host: CallHost,
  parts: GateParts,
): Promise<Declared | undefined> {
  parts.shadow.watched();
  // Whoever gave up waits for nobody.
  const impatient = { ...request, signal: AbortSignal.abort() };
  const { ask: _, trim: __, ...mute } = host;
  const resolved = resolve(impatient, mute, {
    registry: parts.registry,
    executable: true,
    time: host.run.budget.deadline,
    insideRetries: false,
    action: actionDigest(request.tool, request.args),
  });
  if (resolved.at !== 'resolved') return undefined;
  parts.emit('call_started', subjectOf(resolved), { class: resolved.contract.class });
  const validated = await validate(resolved, parts);
  if (validated.at !== 'validated') return would(validated, parts);
  const recalled = await recall(validated, parts);
  if (recalled.at !== 'recalled') return would(recalled, parts);
  const repeats = host.run.loops.repeatsOf(resolved.action);
  if (repeats >= parts.limits.maxRepeats && !isPolled(resolved.contract)) {
    return note(
      { mechanism: 'loop-guard', would: 'refuse', kind: 'loop_detected' },
      recalled,
      parts,
    );
  }
  const agreed = await consent(recalled, parts);
  if (agreed.at !== 'recalled') return agreed.at === 'changed' ? undefined : would(agreed, parts);
  const late = tooLittleTime(recalled, parts);
  if (late !== undefined) {
    return note({ mechanism: 'deadline', would: 'refuse', kind: late.kind }, recalled, parts);
  }
  const time = timeFor(recalled, 0, parts);
  const permit = askPermit(recalled, time.timeoutMs, parts);
  if ('refused' in permit) {
    const { kind } = permit.refused;
    return note({ mechanism: 'circuit-breaker', would: 'refuse', kind }, recalled, parts);
  }
  const declared = await declare({ ...recalled, ...time, at: 'admitted', permit }, parts);
  if (declared.at === 'declared') return declared;
  return declared.at === 'outrun' ? undefined : would(declared, parts);
}

/** A stage that would have ended the call. */
function would(end: Stopped, parts: GateParts): undefined {
  switch (end.at) {
    case 'folded':
      return note({ mechanism: 'guard', would: 'fold' }, end, parts);
    case 'refused':
      return note({ mechanism: 'guard', would: 'refuse', kind: end.failure.kind }, end, parts);
    // Not without somebody to ask.
    case 'paused':
      return undefined;
  }
}

function note(
  what: ShadowNote,
  call: Parameters<typeof subjectOf>[0],
  parts: GateParts,
): undefined {
  parts.shadow.note(call.host.run, what);
  parts.emit('mechanism_shadowed', subjectOf(call), what);
  return undefined;
}

/** Writes down how the call ended, and what would have been done about it. */
async function record(
  judged: Declared | undefined,
  request: CallRequest,
  host: CallHost,
  ended: Ended & { readonly startedAt: number },
  parts: GateParts,
): Promise<void> {
  const nowMs = parts.clock.monotonicMs();
  const result =
    'output' in ended
      ? resultDigest(host.typedResult?.(ended.output) ?? ended.output)
      : resultDigest(['failed']);
  const action = actionDigest(request.tool, request.args);
  host.run.loops.observe(action, result, request.place?.messageId, undefined);
  if (judged === undefined) return;
  const outcome = outcomeOf(judged, ended, parts);
  judged.permit.end(outcome, nowMs - ended.startedAt, nowMs);
  parts.emit('call_finished', subjectOf(judged, { key: judged.effect?.key }), {
    outcome: outcome.outcome === 'confirmed' ? 'succeeded' : outcome.outcome,
    attempts: 1,
    repairs: judged.repairs,
    ...('failure' in outcome ? { kind: outcome.failure.kind } : {}),
  });
  // Judged under the caller's own signal, which says whether it gave up.
  const asCalled = { ...judged, request };
  if ('failure' in outcome && decideAgain(asCalled, outcome.failure, 1, false, parts).retry) {
    note({ mechanism: 'guard', would: 'retry', kind: outcome.failure.kind }, judged, parts);
  }
  await settle({ ...judged, at: 'attempted', outcome, tries: 1, keyCarried: false }, parts);
}

function outcomeOf(call: Declared, ended: Ended, parts: GateParts): Outcome {
  const setting: AttemptSetting = {
    class: call.contract.class,
    effectOnError: 'unknown',
    notes: { keyCarried: false, requestsSent: 0, requestsRefused: 0 },
    wallMs: parts.clock.wallMs(),
  };
  if ('error' in ended) {
    if (call.host.suspends?.(ended.error)) return { outcome: 'suspended', thrown: ended.error };
    return outcomeOfFailure(classify(ended.error, setting));
  }
  const failure = failureAmongResults(ended.output, call, setting, parts);
  return failure === undefined
    ? { outcome: 'succeeded', output: ended.output }
    : outcomeOfFailure(failure);
}

/** What a tool sees of a call that nobody guards: no key, no limit, and nothing to carry. */
class UnguardedContext implements CallContext {
  readonly runId: string;
  readonly intentId: string;
  readonly tenant: string;
  readonly tool: string;
  readonly callId: string;
  readonly attempt = 1;
  readonly idempotencyKey: EffectKey | undefined = undefined;
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly remainingMs = Number.POSITIVE_INFINITY;

  constructor(request: CallRequest, { run }: CallHost) {
    this.runId = run.runId;
    this.intentId = run.intentId;
    this.tenant = run.tenant;
    this.tool = request.tool;
    this.callId = request.callId;
    this.input = request.args;
    this.signal = request.signal ?? new AbortController().signal;
  }

  onGivenUp(listener: (reason: unknown) => void): () => void {
    return onGivenUp(this.signal, listener);
  }

  headers(): Record<string, string> {
    return {};
  }

  async step<T>(_name: string, work: (step: CallContext) => Promise<T> | T): Promise<T> {
    return work(this);
  }
}
