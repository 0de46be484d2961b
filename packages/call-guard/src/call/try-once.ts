import { currentWishes, type RequestNotes, type Scope, withScope } from '../call-context.js';
import { classify } from '../classify/classify.js';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { onGivenUp } from '../on-abort.js';
import { childDeadline, type TimeLeft } from '../run/deadline.js';
import { promiseOf } from '../soon.js';
import { AttemptContext, type TryBegin } from './attempt-context.js';
import { settingOf } from './attempt-setting.js';
import { type Declared, flightKey, type Outcome, outcomeOfFailure } from './call.js';
import { failureAmongResults } from './failure-among-results.js';
import { IdleWatch } from './idle-clock.js';
import type { Execute } from './request.js';
import { withParts } from './step.js';
import { subjectOf } from './subject.js';
import { isTimeOver } from './time.js';
import { warnOfUnreadable } from './unreadable-signal.js';

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

/** How the tool's own function ended. */
type Ended = { readonly output: unknown } | { readonly error: unknown };

/** What ends a try: the tool's answer, or why nobody waits for it. */
type First = Ended | 'timed-out' | 'idle' | 'cancelled';

/** One try that has begun. */
export interface Trying {
  readonly first: Promise<First>;
  /** What that makes of the try. Once, by whoever awaited it. */
  end(first: First): TryEnd;
  /** Takes down what waited for it. On every path, in the turn in which it ended. */
  over(): void;
}

/**
 * Calls the tool once. A read that takes too long, or whose caller gives up, is aborted at once. For a
 * write we only stop *waiting*: its signal is aborted after the late window, so that an answer within it
 * can still settle the row.
 */
export function tryOnce(
  call: Declared,
  execute: Execute<unknown, unknown>,
  begin: TryBegin,
  parts: GateParts,
): Trying {
  // The caller may have given up while the call was written down.
  if (call.request.signal?.aborted) return notBegun;
  const context = new AttemptContext(call, begin, parts);
  const begun = promiseOf(executed, call, execute, context, parts);
  // What waits for the tool is made while the tool works; its time began before.
  const wait = new Wait(call, begin.nowMs, parts);
  const ended = (how: Ended): Ended => {
    context.end();
    wait.end(how);
    return how;
  };
  const answer = begun.then(
    (output) => ended({ output }),
    (error: unknown) => ended({ error }),
  );
  return {
    first: wait.first,
    end: (first) =>
      typeof first === 'string'
        ? endOfWaiting(first, call, context, answer, parts)
        : endOf(first, call, context, parts),
    over: () => wait.over(),
  };
}

function executed(
  call: Declared,
  execute: Execute<unknown, unknown>,
  context: AttemptContext,
  parts: GateParts,
): Promise<unknown> {
  return call.host.leavesProcess
    ? execute(call.args, context)
    : withScope(scopeOf(call, context, parts), execute, call.args, context);
}

const notBegun: Trying = {
  first: Promise.resolve('cancelled'),
  end() {
    const failure = failed('cancelled', 'none', { by: 'caller' });
    return { keyCarried: true, outcome: { outcome: 'failed', failure }, stepsDone: [] };
  },
  over() {},
};

/** The wait for the tool's answer: until it comes, its time is over or the caller gives up. */
class Wait {
  readonly first: Promise<First>;
  #resolve: (first: First) => void = () => {};
  readonly #cancelAlarm: (() => void) | undefined;
  readonly #letGo: (() => void) | undefined;
  readonly #idle: IdleWatch | undefined;

  constructor(call: Declared, nowMs: number, parts: GateParts) {
    const { timeoutMs, request } = call;
    this.first = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (timeoutMs !== undefined) {
      this.#cancelAlarm = parts.clock.alarm(timeoutMs, true, () => this.end('timed-out'), nowMs);
    }
    const idleMs = idleMsOf(call);
    if (idleMs !== undefined) {
      this.#idle = new IdleWatch(idleMs, parts.clock, () => this.end('idle'));
      call.host.watchIdle?.(this.#idle);
    }
    if (request.signal !== undefined) {
      // What ends with the run's time aborts the work around the call in the same moment; nobody gave up.
      const aborted = (): void =>
        this.end(
          call.timeoutLimit === 'run' && isTimeOver(call, parts) ? 'timed-out' : 'cancelled',
        );
      // Perhaps already, by the tool's own first lines.
      this.#letGo = onGivenUp(request.signal, aborted);
    }
  }

  /** Only what comes first counts. */
  end(first: First): void {
    this.#resolve(first);
  }

  over(): void {
    this.#cancelAlarm?.();
    this.#idle?.end();
    this.#letGo?.();
  }
}

/** How long a try may be silent, where its adapter hears signs of life of it. */
function idleMsOf({ contract, host }: Declared): number | undefined {
  if (host.watchIdle === undefined || !contract.declared) return undefined;
  return contract.entry.timeouts.idleMs;
}

/** What the tool's own code, and what it calls, finds around it. */
function scopeOf(call: Declared, context: AttemptContext, parts: GateParts): Scope {
  const { contract, host, wish } = call;
  const around = currentWishes();
  return {
    run: host.run,
    call: context,
    notes: context.notes,
    watched: context,
    wishes: wish === undefined ? around : [...around, flightKey(host.run, wish)],
    time: timeInside(call, context, parts),
    insideRetries:
      call.insideRetries || contract.class === 'read' || contract.class === 'idempotent-write',
  };
}

/** The tool answered, or threw. */
function endOf(ended: Ended, call: Declared, context: AttemptContext, parts: GateParts): TryEnd {
  const { notes } = context;
  const outcome: Outcome =
    'output' in ended
      ? outcomeOfOutput(ended.output, call, notes, parts)
      : outcomeOf(ended.error, call, context, parts);
  // Where nothing was done it does not matter whether the key would have been sent.
  const keyCarried = carries(call, notes) || outcome.outcome === 'failed';
  return { keyCarried, outcome, stepsDone: context.stepsDone };
}

/** Nobody waits for the tool any more. */
function endOfWaiting(
  why: 'timed-out' | 'idle' | 'cancelled',
  call: Declared,
  context: AttemptContext,
  answer: Promise<Ended>,
  parts: GateParts,
): TryEnd {
  const stopped =
    why === 'cancelled'
      ? failed('cancelled', writes(call) ? 'unknown' : 'none', { by: 'caller' })
      : failed('timed_out', writes(call) ? 'unknown' : 'none', {
          limit: why === 'idle' ? why : call.timeoutLimit,
          afterMs: (why === 'idle' ? idleMsOf(call) : call.timeoutMs) ?? 0,
          stillRunning: true,
        });
  if (!writes(call)) {
    context.abort(stopped);
    return { keyCarried: true, outcome: { outcome: 'failed', failure: stopped }, stepsDone: [] };
  }
  const { notes } = context;
  return {
    keyCarried: carries(call, notes),
    outcome: { outcome: 'unknown', failure: stopped },
    stepsDone: context.stepsDone,
    late: lateAnswer(answer, call, parts).then((ended) => {
      if (ended === undefined) {
        context.abort(stopped);
        return undefined;
      }
      if ('error' in ended) {
        return {
          failure: withParts(failureOf(ended.error, call, context, parts), context.stepsDone),
        };
      }
      const failure = failureAmongResults(ended.output, call, settingOf(call, notes, parts), parts);
      return failure === undefined ? ended : { failure: withParts(failure, context.stepsDone) };
    }),
  };
}

/** What bounds the calls inside: the try itself; inside a delegating call, a share of what is left. */
function timeInside(call: Declared, context: AttemptContext, parts: GateParts): TimeLeft {
  if (call.contract.class !== 'delegates') return context;
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

/** What a write still answers within its late window; undefined after it. */
function lateAnswer<T extends object>(
  answer: Promise<T>,
  call: Declared,
  parts: GateParts,
): Promise<T | undefined> {
  const windowMs = call.timeoutMs === undefined ? parts.limits.lateWindowMs : 2 * call.timeoutMs;
  return new Promise((resolve) => {
    const close = parts.clock.alarm(windowMs, false, () => resolve(undefined));
    void answer.then((ended) => {
      close();
      resolve(ended);
    });
  });
}

function failureOf(
  error: unknown,
  call: Declared,
  context: AttemptContext,
  parts: GateParts,
): FailureFacts {
  return context.steps.explain(error) ?? classify(error, settingOf(call, context.notes, parts));
}

function outcomeOf(
  error: unknown,
  call: Declared,
  context: AttemptContext,
  parts: GateParts,
): Outcome {
  if (call.host.suspends?.(error)) return { outcome: 'suspended', thrown: error };
  return outcomeOfKnown(failureOf(error, call, context, parts), call, parts);
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
    : outcomeOfKnown(failure, call, parts);
}

function outcomeOfKnown(failure: FailureFacts, call: Declared, parts: GateParts): Outcome {
  warnOfUnreadable(failure, call, parts);
  // The tool failed after its effect, and says so.
  if (failure.effect === 'done' && call.effect !== undefined) {
    return { outcome: 'confirmed', evidence: { kind: failure.kind, details: failure.details } };
  }
  return outcomeOfFailure(failure);
}

function writes(call: Declared): boolean {
  return call.wish !== undefined;
}

/** Whether the other side was given the key. */
function carries(call: Declared, notes: RequestNotes): boolean {
  if (notes.keyCarried) return true;
  if (!call.contract.declared) return false;
  const { idempotency } = call.contract.entry;
  return idempotency.class === 'idempotent-write' && 'argument' in idempotency.sentAs;
}
