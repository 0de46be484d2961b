import type { FailureDetails } from '../failure.js';
import type { ErrorView } from './error-view.js';
import { lost, type Reading } from './reading.js';

type Limit = FailureDetails['timed_out']['limit'];

const BRAND = Symbol.for('holdfast.part-timeout');

/** One of the guard's own clocks around a request ran out. */
export class PartTimeout extends Error {
  override readonly name = 'PartTimeout';
  readonly [BRAND] = true;
  constructor(
    readonly limit: Limit,
    readonly afterMs: number,
  ) {
    super(`the ${limit} limit of ${afterMs} ms ran out`);
  }
}

function isPartTimeout(error: object): error is PartTimeout {
  return BRAND in error;
}

/** Aborts and timeouts of Node, axios, the OpenAI and Anthropic SDKs, LangChain, undici, superagent. */
const GIVEN_UP = new Set([
  'AbortError',
  'ABORT_ERR',
  'CanceledError',
  'ERR_CANCELED',
  'APIUserAbortError',
  'ModelAbortError',
  'UND_ERR_ABORTED',
  'TimeoutError',
  'APIConnectionTimeoutError',
  'NodeTimeoutError',
  'RequestTimeoutError',
]);

/**
 * An abort that reaches the tool's own code. Ours and the caller's never come here: the gate stops waiting
 * first and tells them by its own controller. So what is left is the clock of a part, or the tool's own
 * controller: its request may have left.
 */
export function readAbort({ error, name, className, code }: ErrorView): Reading | undefined {
  if (isPartTimeout(error)) {
    const { limit, afterMs } = error;
    return { meaning: { kind: 'timed_out', did: 'lost', limit, afterMs } };
  }
  const known = [name, className, String(code)].find((word) => GIVEN_UP.has(word));
  return known === undefined ? undefined : { meaning: lost, code: known };
}
