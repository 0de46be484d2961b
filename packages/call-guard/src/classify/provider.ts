import { type ErrorView, messageOf, numberAt, saidIn, textAt } from './error-view.js';
import {
  badCredentials,
  busy,
  failedThere,
  limited,
  lost,
  type Meaning,
  notAllowed,
  overloaded,
  quotaSpent,
  type Reading,
  refused,
  unable,
} from './reading.js';

/** OpenAI and those who speak its protocol: `error.code`, or `error.type`. */
const openai: readonly (readonly [string, Meaning])[] = [
  ['rate_limit_exceeded', limited],
  ['insufficient_quota', quotaSpent],
  ['billing_hard_limit_reached', quotaSpent],
  ['billing_not_active', quotaSpent],
  ['account_deactivated', notAllowed],
  ['invalid_api_key', badCredentials],
  ['context_length_exceeded', refused],
  ['content_policy_violation', refused],
  ['content_filter', refused],
  ['model_not_found', refused],
  ['engine_overloaded', overloaded],
  ['server_is_overloaded', overloaded],
  ['slow_down', overloaded],
  ['server_error', failedThere],
];

/** Anthropic: `error.type`, inside of a stream too, where there is no status. */
const anthropic: readonly (readonly [string, Meaning])[] = [
  ['rate_limit_error', limited],
  ['overloaded_error', overloaded],
  ['authentication_error', badCredentials],
  ['permission_error', notAllowed],
  ['billing_error', quotaSpent],
  ['not_found_error', refused],
  ['request_too_large', refused],
  ['timeout_error', lost],
  ['api_error', failedThere],
];

/** Google's older services: the `reason` of a 403. */
const googleReasons: readonly (readonly [string, Meaning])[] = [
  ['rateLimitExceeded', limited],
  ['userRateLimitExceeded', limited],
  ['quotaExceeded', limited],
  ['dailyLimitExceeded', limited],
  ['authError', badCredentials],
  ['insufficientPermissions', notAllowed],
  ['accessNotConfigured', notAllowed],
  ['backendError', failedThere],
];

/** OAuth 2.0, RFC 6749 and RFC 6750: the `error` of a 400 or 401. */
const oauth: readonly (readonly [string, Meaning])[] = [
  ['invalid_grant', badCredentials],
  ['invalid_token', badCredentials],
  ['invalid_client', badCredentials],
  ['insufficient_scope', notAllowed],
];

/** AWS: names of a 400. */
const aws: readonly (readonly [string, Meaning])[] = [
  ['ThrottlingException', limited],
  ['Throttling', limited],
  ['TooManyRequestsException', limited],
  ['RequestLimitExceeded', limited],
  ['ProvisionedThroughputExceededException', limited],
  ['SlowDown', limited],
  ['ExpiredTokenException', badCredentials],
  ['ExpiredToken', badCredentials],
  ['UnrecognizedClientException', badCredentials],
  ['AccessDeniedException', notAllowed],
];

const byCode: ReadonlyMap<string, Meaning> = new Map([
  ...openai,
  ...anthropic,
  ...googleReasons,
  ...oauth,
  ...aws,
]);

/** Google and gRPC (google.rpc.Code). */
const byGoogleStatus: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['RESOURCE_EXHAUSTED', limited],
  ['UNAVAILABLE', overloaded],
  ['UNAUTHENTICATED', badCredentials],
  ['PERMISSION_DENIED', notAllowed],
  ['INVALID_ARGUMENT', refused],
  ['FAILED_PRECONDITION', refused],
  ['OUT_OF_RANGE', refused],
  ['NOT_FOUND', refused],
  ['UNIMPLEMENTED', unable],
  ['ABORTED', busy],
  // Perhaps by an earlier try of ours.
  ['ALREADY_EXISTS', failedThere],
  ['DEADLINE_EXCEEDED', failedThere],
  ['INTERNAL', failedThere],
  ['UNKNOWN', failedThere],
  ['DATA_LOSS', failedThere],
]);

const CREDIT_TEXT = /credit balance is too low/i;

/** A code of one of the large providers, in the error or in its body. */
export function readProvider(view: ErrorView): Reading | undefined {
  const said = saidIn(view.body) ?? {};
  const found = googleStatusOf(view, said) ?? codeOf(view, said);
  return found === undefined ? undefined : { ...found, message: messageOf(view) };
}

interface Found {
  readonly code: string;
  readonly meaning: Meaning;
}

function codeOf(view: ErrorView, said: object): Found | undefined {
  const codes = [said, view.error].flatMap((holder) =>
    ['code', 'type', 'error', 'reason', 'name', '__type'].map((name) => textAt(holder, name)),
  );
  for (const code of [...codes, firstReason(said)]) {
    const meaning = byCode.get(String(code));
    if (meaning !== undefined) return { code: String(code), meaning };
  }
  return requestError(view, said);
}

/** `invalid_request_error` leaves it to the status, where there is one. */
function requestError(view: ErrorView, said: object): Found | undefined {
  const code = textAt(said, 'type');
  if (code !== 'invalid_request_error') return undefined;
  if (CREDIT_TEXT.test(String(messageOf(view)))) return { code, meaning: quotaSpent };
  return view.status === undefined ? { code, meaning: refused } : undefined;
}

function firstReason(said: object): string | undefined {
  const errors: unknown = 'errors' in said ? said.errors : undefined;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return typeof first === 'object' && first !== null ? textAt(first, 'reason') : undefined;
}

/** Others use these words as well: beside a number they are Google's. */
function googleStatusOf(view: ErrorView, said: object): Found | undefined {
  const inBody = numberAt(said, 'code') === undefined ? undefined : textAt(said, 'status');
  const code = String(inBody ?? /^\d{1,2} ([A-Z_]+): /.exec(view.message)?.[1]);
  const meaning = byGoogleStatus.get(code);
  return meaning === undefined ? undefined : { code, meaning };
}
