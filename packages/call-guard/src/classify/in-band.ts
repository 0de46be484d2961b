import { isNativeError } from 'node:util/types';
import type { AnyToolEntry, ResultFailure } from '@holdfast/tool-registry';
import type { FailureFacts } from '../failure.js';
import { failed } from '../next-step.js';
import { readRateLimitSignal } from '../rate-limit-signal.js';
import { classify } from './classify.js';
import { messageOf, textAt, viewOf } from './error-view.js';
import { readHttp } from './http.js';
import { errorTextOf, readErrorResult, textIn } from './mcp.js';
import { printedBy, readProcessResult } from './process.js';
import { readProvider } from './provider.js';
import { failedThere, type Meaning, type Reading, saidNo } from './reading.js';
import { type AttemptSetting, effectOf, factsOf } from './reading-facts.js';

/** What a tool that did not throw gave. */
export interface Given {
  /** What its function returned. */
  readonly raw: unknown;
  /** The same as its entry describes it; asked for only where the entry looks at it. */
  typed(): unknown;
}

/**
 * A failure that came as an ordinary result. The entry's `failureWhen` says it; without one only what
 * says of itself that it is an error counts: an error that was returned, MCP's `isError`, an error message of LangChain, a program's
 * exit code, and an `error` object where the entry promises something else. Texts of tools that succeeded
 * are not searched for errors.
 *
 * @throws what the entry's `failureWhen` throws
 */
export function inBandFailure(
  given: Given,
  entry: AnyToolEntry | undefined,
  setting: AttemptSetting,
): FailureFacts | undefined {
  const { raw } = given;
  const stated = entry?.failureWhen === undefined ? undefined : statedBy(entry, given);
  if (stated !== undefined) return ofStatement(stated, setting);
  if (typeof raw !== 'object' || raw === null) return undefined;
  const said = hasSigns(raw) ? saidBy(raw, setting) : undefined;
  return said ?? envelopeFailure(given, entry, setting);
}

/** Properties by which a result says of itself how it ended. */
interface Signs {
  readonly isError?: unknown;
  readonly status?: unknown;
  readonly stdout?: unknown;
  readonly stderr?: unknown;
  readonly error?: unknown;
}

// Stryker disable all: a shortcut; each reader would say the same of a result without signs
/**
 * Whether it is worth asking each reader: few results are. By name, because V8 finds a property that a
 * variable names five times slower.
 */
function hasSigns(raw: Signs): boolean {
  return (
    raw.isError === true ||
    raw.status === 'error' ||
    raw.stdout !== undefined ||
    raw.stderr !== undefined ||
    // Node has to be called to find out.
    (!isPlain(raw) && isNativeError(raw))
  );
}

/** No error is made by a literal, or by `JSON.parse`. */
function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
// Stryker restore all

function saidBy(raw: object, setting: AttemptSetting): FailureFacts | undefined {
  // Caught and returned instead of thrown.
  if (isNativeError(raw)) return classify(raw, setting);
  const said = errorTextOf(raw);
  if (said !== undefined) return factsFrom(readErrorResult(said), said, setting);
  const told = messageTextOf(raw);
  if (told !== undefined) return factsFrom(readErrorResult(told, failedThere), told, setting);
  const ended = readProcessResult(raw);
  return ended === undefined ? undefined : factsFrom(ended, printedBy(raw), setting);
}

function statedBy(entry: AnyToolEntry, { raw, typed }: Given): ResultFailure | undefined {
  const value = typed();
  // A direction for the framework is no result.
  if (value === undefined && raw !== undefined) return undefined;
  const parsed = promised(entry, value);
  // What does not fit comes as it is, for it may be the failure.
  return entry.failureWhen?.(parsed === undefined ? value : parsed.data);
}

/** The result as its schema gives it, where it fits. */
function promised(
  { output }: AnyToolEntry,
  value: unknown,
): { readonly data: unknown } | undefined {
  if (output === undefined) return undefined;
  try {
    const parsed = output.safeParse(value);
    return parsed.success ? { data: parsed.data } : undefined;
  } catch {
    // A schema with asynchronous refinements cannot tell; it is taken as fitting.
    return { data: value };
  }
}

function ofStatement(stated: ResultFailure, setting: AttemptSetting): FailureFacts {
  const none = effectOf('nothing', setting);
  switch (stated.kind) {
    case 'rate_limited': {
      const { retryAfterMs } = stated;
      const isWait = retryAfterMs !== undefined && retryAfterMs > 0 && retryAfterMs < Infinity;
      return failed('rate_limited', none, {
        source: 'result',
        ...(isWait ? { retryAfterMs } : {}),
      });
    }
    case 'business_error': {
      const { effect = none, code, message } = stated;
      const details = {
        ...(code === undefined ? {} : { code }),
        ...(message === undefined ? {} : { message }),
      };
      return failed('business_error', ofClass(effect, setting), details);
    }
    case 'dependency_failed': {
      const { effect = effectOf('unclear', setting), message } = stated;
      const details = message === undefined ? {} : { message };
      return failed('dependency_failed', ofClass(effect, setting), details);
    }
  }
}

/** Nothing that only reads leaves an effect in doubt. */
function ofClass<E extends string>(effect: E, setting: AttemptSetting): E | 'none' {
  return effectOf('lost', setting) === 'none' ? 'none' : effect;
}

function factsFrom(
  reading: Reading,
  text: string,
  setting: AttemptSetting,
  status?: number,
): FailureFacts {
  const signal = readRateLimitSignal({ text }, setting.wallMs);
  const isUnread = reading.meaning === failedThere || reading.meaning === saidNo;
  const isLimit = signal !== undefined && isUnread;
  const meaning: Meaning = isLimit ? { kind: 'rate_limited', did: 'unclear' } : reading.meaning;
  const signals = signal === undefined ? [] : [signal];
  return factsOf({ ...reading, meaning }, { setting, signals, status });
}

/** A tool message that was returned as an error instead of being thrown. */
function messageTextOf(value: object): string | undefined {
  if (textAt(value, 'status') !== 'error' || textAt(value, 'tool_call_id') === undefined) {
    return undefined;
  }
  const content: unknown = 'content' in value ? value.content : undefined;
  // What LangGraph's nodes append for the model.
  return textIn(content).replace(/\n ?Please fix [^\n]*$/, '');
}

/** `{ error: { code, message } }` where the entry promises something else. */
function envelopeFailure(
  given: Given,
  entry: AnyToolEntry | undefined,
  setting: AttemptSetting,
): FailureFacts | undefined {
  if (entry?.output === undefined) return undefined;
  const value = given.typed();
  if (typeof value !== 'object' || value === null) return undefined;
  const { error }: Signs = value;
  if (typeof error !== 'object' || error === null) return undefined;
  if (!['code', 'type', 'message'].some((name) => name in error)) {
    return undefined;
  }
  if (promised(entry, value) !== undefined) return undefined;
  const view = { ...viewOf(error), body: value };
  const { wallMs } = setting;
  const reading = readProvider(view) ??
    readHttp(view, wallMs) ?? {
      meaning: failedThere,
      message: messageOf(view),
      code: view.code?.toString(),
    };
  return factsFrom(reading, JSON.stringify(value), setting, view.status);
}
