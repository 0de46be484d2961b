import { type FailureFacts, type GuardError, isGuardError } from '../failure.js';
import { failed } from '../next-step.js';
import { type RateLimitSignal, readRateLimitSignal } from '../rate-limit-signal.js';
import { isPassing } from '../retry/passing.js';
import { isStatedFailure } from '../stated-failure.js';
import { readAbort } from './abort.js';
import { causes } from './causes.js';
import { type ErrorView, messageOf, textOf, viewOf } from './error-view.js';
import { readHttp } from './http.js';
import { isWrapper, readLangChain } from './langchain.js';
import { readMcp } from './mcp.js';
import { printedBy, readProcess } from './process.js';
import { readProvider } from './provider.js';
import { byWeight, failedThere, lost, type Reading } from './reading.js';
import { type AttemptSetting, effectOf, factsOf } from './reading-facts.js';
import { readSql } from './sql.js';
import { readSystem, saysLost } from './system.js';

/** The most particular first; each knows its own errors only. */
const sources: readonly ((view: ErrorView, wallMs: number) => Reading | undefined)[] = [
  readAbort,
  readProcess,
  readSql,
  readSystem,
  readMcp,
  readLangChain,
  readProvider,
  readHttp,
];

/**
 * Where a foreign error enters, once. Two facts decide the effect: the tool's class, and whether a
 * request can have left. Of all that an error wraps, what leaves the most in doubt decides.
 */
export function classify(error: unknown, setting: AttemptSetting): FailureFacts {
  try {
    if (isStatedFailure(error)) return error.facts;
    if (isGuardError(error)) return ofInnerCall(error, setting);
    return read(error, setting);
  } catch {
    // An error that cannot even be read says nothing.
    const message = 'the tool threw something that cannot be read';
    return failed('dependency_failed', effectOf('unclear', setting), { message }, error);
  }
}

/**
 * A guarded call inside of the tool failed: that call has its own row, its own failure and its own breaker.
 * It left its retries to the call around it.
 */
function ofInnerCall({ failure }: GuardError, setting: AttemptSetting): FailureFacts {
  const message = `the call of ${failure.tool} inside of it failed`;
  const asked = 'retryAfterMs' in failure.details ? failure.details.retryAfterMs : undefined;
  const passes = isPassing(failure);
  const details = {
    code: failure.kind,
    message,
    innerCall: true as const,
    ...(passes ? { transient: true } : {}),
    ...(passes && asked !== undefined ? { retryAfterMs: asked } : {}),
  };
  return failed('dependency_failed', effectOf('unclear', setting), details, failure.cause);
}

function read(error: unknown, setting: AttemptSetting): FailureFacts {
  const { wallMs } = setting;
  const holder = typeof error === 'object' && error !== null ? error : { message: String(error) };
  const views = causes(holder)
    .filter((cause) => !isWrapper(cause))
    .map(viewOf);
  let worst: { readonly reading: Reading; readonly view: ErrorView } | undefined;
  for (const view of views) {
    const reading = firstReading(view, wallMs);
    const known =
      reading ?? (hasUnexplainedMember(view, wallMs) ? unread(view, [view], []) : undefined);
    if (known === undefined) continue;
    if (worst === undefined || weight(known) > weight(worst.reading)) {
      worst = { reading: known, view };
    }
  }
  const signals = views.flatMap((view) => signalOf(view, wallMs) ?? []);
  // A wrapper around nothing is all there is.
  const [first = viewOf(holder)] = views;
  const { reading, view } = worst ?? { reading: unread(first, views, signals), view: first };
  return factsOf(reading, { setting, signals, cause: error, status: view.status });
}

/**
 * Whether an error stands for several and says nothing of its own, and of one of those nothing is known:
 * what the other members say is not said of it.
 */
function hasUnexplainedMember({ error }: ErrorView, wallMs: number): boolean {
  if (!('errors' in error) || !Array.isArray(error.errors)) return false;
  return error.errors.some((member: unknown) =>
    causes(member).every((inner) => firstReading(viewOf(inner), wallMs) === undefined),
  );
}

function firstReading(view: ErrorView, wallMs: number): Reading | undefined {
  for (const source of sources) {
    const reading = source(view, wallMs);
    if (reading !== undefined) return reading;
  }
  return undefined;
}

function weight({ meaning }: Reading): number {
  return byWeight.indexOf(meaning.did);
}

/** What no source knows. A text that speaks of a limit says why, and proves nothing. */
function unread(
  view: ErrorView,
  all: readonly ErrorView[],
  signals: readonly RateLimitSignal[],
): Reading {
  if (all.some(saysLost)) return { meaning: lost };
  const isLimit = signals.length > 0;
  return {
    meaning: isLimit ? { kind: 'rate_limited', did: 'unclear' } : failedThere,
    message: messageOf(view),
    code: view.code?.toString(),
  };
}

function signalOf(view: ErrorView, wallMs: number): RateLimitSignal | undefined {
  const { status, headers, error } = view;
  const stamped = 'retryAfterMs' in error ? error.retryAfterMs : undefined;
  if (typeof stamped === 'number' && stamped > 0 && Number.isFinite(stamped)) {
    return { retryAfterMs: stamped, source: 'retryAfterMs' };
  }
  const text = `${textOf(view)}\n${printedBy(error)}`;
  return readRateLimitSignal({ status, headers, text }, wallMs);
}
