import { readRateLimitSignal } from '../rate-limit-signal.js';
import { type ErrorView, messageOf, saidIn, textAt, textOf } from './error-view.js';
import {
  badCredentials,
  failedThere,
  limited,
  type Meaning,
  notAllowed,
  overloaded,
  quotaSpent,
  type Reading,
  refused,
} from './reading.js';

/** Statuses that mean something of their own; of the others 4xx refuse, and 5xx leave it open. */
const byStatus: Readonly<Record<number, Meaning>> = {
  401: badCredentials,
  403: notAllowed,
  407: badCredentials,
  // The server gave up waiting, perhaps after acting.
  408: failedThere,
  // Often an equal request in progress.
  409: failedThere,
  425: limited,
  429: limited,
  // Our side hung up, says a proxy.
  499: failedThere,
  529: overloaded,
};

const QUOTA_TEXT =
  /insufficient[_ ](?:quota|credits|balance)|credit balance is too low|out of credits|requires more credits|check your plan and billing|billing hard limit/i;

/** An HTTP status, with the headers and texts that give it another meaning. */
export function readHttp(view: ErrorView, wallMs: number): Reading | undefined {
  const { status } = view;
  if (status === undefined) return undefined;
  return {
    meaning: meaningOf(view, status, wallMs),
    code: codeIn(view),
    message: messageOf(view),
  };
}

function meaningOf(view: ErrorView, status: number, wallMs: number): Meaning {
  const text = textOf(view);
  const signal = readRateLimitSignal({ status, text, headers: view.headers }, wallMs);
  // A quota that is spent for good says no time.
  const isSpent = QUOTA_TEXT.test(text) && signal?.retryAfterMs === undefined;
  if (status < 500 && status !== 401 && isSpent) return quotaSpent;
  // GitHub and others refuse so what comes too fast.
  if (status === 403 && signal !== undefined) return limited;
  if (status === 503 && signal !== undefined) return overloaded;
  return byStatus[status] ?? (status >= 500 ? failedThere : refused);
}

/** The other side's own code, not its client's name for a status. */
function codeIn({ body, code }: ErrorView): string | undefined {
  const said = saidIn(body);
  const theirs = said === undefined ? undefined : (textAt(said, 'code') ?? textAt(said, 'type'));
  if (theirs !== undefined) return theirs;
  return typeof code === 'string' && !/^ERR_|^\d+$/.test(code) ? code : undefined;
}
