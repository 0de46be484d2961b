import type { EffectKey } from '@holdfast/effect-ledger';
import {
  type CallContext,
  currentWishes,
  isInsideRetries,
  type RequestNotes,
  withScope,
} from '../call-context.js';
import { classify } from '../classify/classify.js';
import type { AttemptSetting } from '../classify/reading-facts.js';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { onAbort } from '../on-abort.js';
import { childDeadline, type TimeLeft } from '../run/deadline.js';
import { deadlineHeader } from '../run/propagation.js';
import { type Declared, flightKey, type Outcome } from './call.js';
import { failureAmongResults } from './failure-among-results.js';
import type { Execute } from './request.js';
import { Steps, type StepWork, withParts } from './step.js';
import { subjectOf } from './subject.js';
import { isTimeOver } from './time.js';
import { warnOfUnreadable } from './unreadable-signal.js';
import { watchRequests } from './watch-requests.js';

export type LateAnswer = { readonly output: unknown } | { readonly failure: FailureFacts };

/** How one try ended, and what of it may still come. */
export interface TryEnd {
  readonly outcome: Outcome;
  readonly keyCarried: boolean;
  /** Steps of the tool that are done. */
  readonly stepsDone: readonly string[];
  /** The tool's own answer after we stopped waiting for it; undefined once it is given up. Writes only. */
  readonly late?: Promise<LateAnswer | undefined>;
}

/**
 * Calls the tool once. A read that takes too long, or whose caller gives up, is aborted at once. For a
 * write we only stop *waiting*: its signal is aborted after the late window, so that an answer within it
 * can still settle the row.
 */
export async function tryOnce(
  call: Declared,
  execute: Execute<unknown, unknown>,
  attempt: number,
  parts: GateParts,
): Promise<TryEnd> {
  // The caller may have given up while the call was written down.
  if (call.request.signal?.aborted) {
    const failure = failed('cancelled', 'none', { by: 'caller' });
    return { keyCarried: true, outcome: { outcome: 'failed', failure }, stepsDone: [] };
  }
  const notes: RequestNotes = { keyCarried: false, requestsSent: 0, requestsRefused: 0 };
  const context = new AttemptContext(call, attempt, notes, parts);
  const wishes =
    call.wish === undefined
      ? currentWishes()
      : [...currentWishes(), flightKey(call.host.run, call.wish)];
  const requests = watchRequests(call, parts);
  const scope = {
    run: call.host.run,
    call: context,
    notes,
    requests,
    wishes,
    time: timeInside(call, context, parts),
    insideRetries:
      isInsideRetries() ||
      call.contract.class === 'read' ||
      call.contract.class === 'idempotent-write',
  };
  const work = withScope(scope, async () => execute(call.args, context));
  const answer = work
    .finally(() => requests.end())
    .then(
      (output) => ({ output }),
      (error: unknown) => ({ error }),
    );
  const first = await firstOf(answer, call, parts);
  const keyCarried = (): boolean => notes.keyCarried || carriesByArgument(call);
  const { steps } = context;
  if (typeof first === 'object') {
    const outcome: Outcome =
      'output' in first
        ? outcomeOfOutput(first.output, call, notes, parts)
        : outcomeOf(first.error, call, notes, steps, parts);
    // Where nothing was done it does not matter whether the key would have been sent.
    const carried = keyCarried() || outcome.outcome === 'failed';
    return { keyCarried: carried, outcome, stepsDone: steps.done };
  }
  const stopped =
    first === 'cancelled'
      ? failed('cancelled', writes(call) ? 'unknown' : 'none', { by: 'caller' })
      : failed('timed_out', writes(call) ? 'unknown' : 'none', {
          limit: call.timeoutLimit,
          afterMs: call.timeoutMs ?? 0,
          stillRunning: true,
        });
  if (!writes(call)) {
    context.abort(stopped);
    return { keyCarried: true, outcome: { outcome: 'failed', failure: stopped }, stepsDone: [] };
  }
  return {
    keyCarried: keyCarried(),
    outcome: { outcome: 'unknown', failure: stopped },
    stepsDone: steps.done,
    late: lateAnswer(answer, call, parts, () => context.abort(stopped)).then((ended) => {
      if (ended === undefined) return undefined;
      if ('error' in ended) {
        return {
          failure: withParts(failureOf(ended.error, call, notes, steps, parts), steps.done),
        };
      }
      const failure = failureAmongResults(ended.output, call, settingOf(call, notes, parts), parts);
      return failure === undefined ? ended : { failure: withParts(failure, steps.done) };
    }),
  };
}

/** What bounds the calls inside: the try itself; inside a delegating call, a share of what is left. */
function timeInside(call: Declared, context: CallContext, parts: GateParts): TimeLeft {
  if (call.contract.class !== 'delegates') return { leftMs: () => context.remainingMs };
  const { time } = call;
  if (!Number.isFinite(time.leftMs())) return time;
  const inside = childDeadline(time, parts.limits.childDeadlineRatio, parts.clock);
  parts.emit('budget_allocated', subjectOf(call), {
    deadlineMs: inside.leftMs(),
    consumedMs: 0,
    source: 'child',
  });
  return inside;
}

/** What a write still answers within its late window; after it `giveUp` is called. */
function lateAnswer<T extends object>(
  answer: Promise<T>,
  call: Declared,
  parts: GateParts,
  giveUp: () => void,
): Promise<T | undefined> {
  const windowMs = call.timeoutMs === undefined ? parts.limits.lateWindowMs : 2 * call.timeoutMs;
  return new Promise((resolve) => {
    const close = parts.clock.alarm(windowMs, false, () => {
      giveUp();
      resolve(undefined);
    });
    void answer.then((ended) => {
      close();
      resolve(ended);
    });
  });
}

function failureOf(
  error: unknown,
  call: Declared,
  notes: RequestNotes,
  steps: Steps,
  parts: GateParts,
): FailureFacts {
  return steps.explain(error) ?? classify(error, settingOf(call, notes, parts));
}

function outcomeOf(
  error: unknown,
  call: Declared,
  notes: RequestNotes,
  steps: Steps,
  parts: GateParts,
): Outcome {
  if (call.host.suspends?.(error)) return { outcome: 'suspended', thrown: error };
  return outcomeOfFailure(failureOf(error, call, notes, steps, parts), call, parts);
}

function outcomeOfOutput(
  output: unknown,
  call: Declared,
  notes: RequestNotes,
  parts: GateParts,
): Outcome {
  const failure = failureAmongResults(output, call, settingOf(call, notes, parts), parts);
  return failure === undefined
    ? { outcome: 'succeeded', output }
    : outcomeOfFailure(failure, call, parts);
}

function outcomeOfFailure(failure: FailureFacts, call: Declared, parts: GateParts): Outcome {
  warnOfUnreadable(failure, call, parts);
  // The tool failed after its effect, and says so.
  if (failure.effect === 'done' && call.effect !== undefined) {
    return { outcome: 'confirmed', evidence: { kind: failure.kind, details: failure.details } };
  }
  return { outcome: failure.effect === 'unknown' ? 'unknown' : 'failed', failure };
}

function settingOf(call: Declared, notes: RequestNotes, parts: GateParts): AttemptSetting {
  const idempotency = call.contract.declared ? call.contract.entry.idempotency : undefined;
  return {
    class: call.contract.class,
    effectOnError:
      idempotency !== undefined && 'effectOnError' in idempotency
        ? idempotency.effectOnError
        : 'unknown',
    notes,
    wallMs: parts.clock.wallMs(),
  };
}

/** The tool's answer, or why it was not waited for. */
function firstOf<T extends object>(
  answer: Promise<T>,
  call: Declared,
  parts: GateParts,
): Promise<T | 'timed-out' | 'cancelled'> {
  const { signal } = call.request;
  const { timeoutMs } = call;
  if (signal === undefined && timeoutMs === undefined) return answer;
  return new Promise((resolve) => {
    const cancelAlarm =
      timeoutMs === undefined
        ? () => {}
        : parts.clock.alarm(timeoutMs, true, () => finish('timed-out'));
    // What ends with the run's time aborts the work around the call in the same moment; nobody gave up.
    const ofAbort = (): 'timed-out' | 'cancelled' =>
      call.timeoutLimit === 'run' && isTimeOver(call, parts) ? 'timed-out' : 'cancelled';
    const letGo = onAbort(signal, () => finish(ofAbort()));
    const finish = (first: T | 'timed-out' | 'cancelled'): void => {
      cancelAlarm();
      letGo();
      resolve(first);
    };
    if (signal?.aborted) finish(ofAbort());
    void answer.then(finish);
  });
}

function writes(call: Declared): boolean {
  return call.wish !== undefined;
}

function carriesByArgument(call: Declared): boolean {
  if (!call.contract.declared) return false;
  const { idempotency } = call.contract.entry;
  return idempotency.class === 'idempotent-write' && 'argument' in idempotency.sentAs;
}

/** Where the key travels: the declared header; else the usual one, by which a probe may find the effect. */
function headerOf(call: Declared): string | undefined {
  const idempotency = call.contract.declared ? call.contract.entry.idempotency : undefined;
  if (idempotency?.class !== 'idempotent-write') return 'Idempotency-Key';
  return 'header' in idempotency.sentAs ? idempotency.sentAs.header : undefined;
}

/** What the tool's code sees. The abort controller is made only when someone asks for the signal. */
class AttemptContext implements CallContext {
  readonly runId: string;
  readonly intentId: string;
  readonly tenant: string;
  readonly callId: string;
  readonly attempt: number;
  readonly input: unknown;
  readonly steps: Steps;
  readonly #key: EffectKey | undefined;
  readonly #header: string | undefined;
  readonly #endsAt: number | undefined;
  #controller: AbortController | undefined;
  #reason: FailureFacts | undefined;

  constructor(
    call: Declared,
    attempt: number,
    private readonly notes: RequestNotes,
    private readonly parts: GateParts,
  ) {
    const { run } = call.host;
    this.runId = run.runId;
    this.intentId = run.intentId;
    this.tenant = run.tenant;
    this.callId = call.request.callId;
    this.attempt = attempt;
    this.input = call.input;
    this.#key = call.effect?.key;
    this.#header = headerOf(call);
    this.#endsAt =
      call.timeoutMs === undefined ? undefined : parts.clock.monotonicMs() + call.timeoutMs;
    this.steps = new Steps(
      {
        call,
        row: call.effect,
        context: this,
        notes,
        classifying: (of) => settingOf(call, of, parts),
        headersWith: (key) => this.#headersWith(key),
      },
      parts,
    );
  }

  get idempotencyKey(): EffectKey | undefined {
    if (this.#key !== undefined) this.notes.keyCarried = true;
    return this.#key;
  }

  get remainingMs(): number {
    return this.#endsAt === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.#endsAt - this.parts.clock.monotonicMs());
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  headers(): Record<string, string> {
    return this.#headersWith(this.#header === undefined ? undefined : this.idempotencyKey);
  }

  #headersWith(key: EffectKey | undefined): Record<string, string> {
    return {
      ...(this.#header === undefined || key === undefined ? {} : { [this.#header]: key }),
      ...deadlineHeader(this.remainingMs),
    };
  }

  // A value, so that it can be taken out of the context.
  readonly step = <T>(name: string, work: StepWork<T>): Promise<T> => this.steps.run(name, work);

  abort(reason: FailureFacts): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
