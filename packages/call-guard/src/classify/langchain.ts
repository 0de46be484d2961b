import { type ErrorView, textAt } from './error-view.js';
import {
  badCredentials,
  limited,
  type Meaning,
  quotaSpent,
  type Reading,
  refused,
} from './reading.js';

const wrongArguments = { kind: 'invalid_arguments', did: 'nothing' } as const satisfies Meaning;

/** By `name`, name of the class, `lc_error_code`, or what LangChain stamps on errors of its providers. */
const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['ToolInputParsingException', wrongArguments],
  ['RateLimitCapacityError', limited],
  ['RateLimitQuotaExhaustedError', quotaSpent],
  ['InsufficientQuotaError', quotaSpent],
  ['ContextOverflowError', refused],
  ['ModelRefusalError', refused],
  ['MODEL_RATE_LIMIT', limited],
  ['MODEL_AUTHENTICATION', badCredentials],
  ['MODEL_NOT_FOUND', refused],
  ['INVALID_TOOL_RESULTS', refused],
]);

/** What `AsyncCaller` writes on a 429: `wait`, `capacity`, or `stop` where no time helps. */
const stamps: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['wait', limited],
  ['capacity', limited],
  ['stop', quotaSpent],
]);

const PARSING = /^Received tool input did not match expected schema/;

/** Errors that LangChain makes or marks. */
export function readLangChain(view: ErrorView): Reading | undefined {
  const { error, message } = view;
  const stamp = textAt(error, 'rateLimitType');
  const meaning =
    (stamp === undefined ? undefined : stamps.get(stamp)) ??
    meanings.get(view.name) ??
    meanings.get(view.className) ??
    meanings.get(textAt(error, 'lc_error_code') ?? '') ??
    (PARSING.test(message) ? wrongArguments : undefined);
  return meaning === undefined ? undefined : { meaning, message: firstPart(message) };
}

/**
 * Wrappers that say nothing of their own: `ToolInvocationError` repeats a stack and the arguments,
 * `MiddlewareError` the message of its cause.
 */
export function isWrapper(error: object): boolean {
  const brand = textAt(error, '~brand');
  return brand === 'ToolInvocationError' || (brand === 'MiddlewareError' && 'cause' in error);
}

/** Without the page that LangChain recommends below. */
function firstPart(message: string): string {
  return message.split('\n\nTroubleshooting URL:')[0] ?? message;
}
