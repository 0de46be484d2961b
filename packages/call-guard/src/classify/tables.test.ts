import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../failure.js';
import { classify } from './classify.js';

const facts = (fields: object, message = 'x'): FailureFacts =>
  classify(Object.assign(new Error(message), fields), {
    class: 'irreversible',
    effectOnError: 'unknown',
    // Of the one request that was made nothing left.
    notes: { keyCarried: false, requestsSent: 0, requestsRefused: 1 },
    wallMs: Date.UTC(2026, 0, 1),
  });
const gist = (fields: object, message?: string) => {
  const { kind, effect, details } = facts(fields, message);
  const why = 'why' in details ? details.why : undefined;
  const transient = 'transient' in details && details.transient ? 'passes' : undefined;
  return [kind, why, transient, effect].filter((part) => part !== undefined).join(', ');
};

const lost = 'transport_lost, unknown';
const unsent = 'transport_lost, none';
const refused = 'business_error, none';
const unable = 'dependency_failed, none';
const busy = 'dependency_failed, passes, none';
const open = 'dependency_failed, unknown';
const answered = 'business_error, unknown';
const full = 'overloaded, none';
const limited = 'rate_limited, none';
const overloaded = 'overloaded, unknown';
const quota = 'auth_failed, quota, none';
const badResult = 'result_invalid, done';
const notAllowed = 'auth_failed, permission, none';
const badCredentials = 'auth_failed, credentials, none';

describe('codes of a connection', () => {
  it.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'UND_ERR_CONNECT_TIMEOUT'],
    ...['ERR_INVALID_URL', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN'],
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('%s: it was never made', (code) => {
    expect(gist({ code })).toBe(unsent);
  });

  it.each([
    ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
    ...['ESOCKETTIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_HTTP2_STREAM_ERROR'],
    ...['ERR_HTTP2_SESSION_ERROR', 'ERR_NETWORK', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT'],
    ...['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_RESPONSE', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
    'HPE_INVALID_CONSTANT',
  ])('%s: it broke', (code) => {
    expect(gist({ code })).toBe(lost);
  });

  it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])('%s: what was tried tells', (code) => {
    expect(gist({ code, syscall: 'connect' })).toBe(unsent);
    expect(gist({ code, syscall: 'read' })).toBe(lost);
  });

  it.each([
    ...['Connection error.', 'Request timed out.', 'fetch failed', 'terminated'],
    'other side closed',
  ])('%s, without any', (message) => {
    expect(gist({}, message)).toBe(lost);
    expect(gist({}, `it said: ${message}`)).toBe(open);
    expect(gist({}, `${message} It said so`)).toBe(open);
  });
});

describe('codes that say that somebody gave up', () => {
  it.each([
    ...['AbortError', 'ABORT_ERR', 'CanceledError', 'ERR_CANCELED', 'APIUserAbortError'],
    ...['ModelAbortError', 'UND_ERR_ABORTED', 'TimeoutError', 'APIConnectionTimeoutError'],
    ...['NodeTimeoutError', 'RequestTimeoutError'],
  ])('%s, as a name or as a code', (word) => {
    for (const fields of [{ name: word }, { code: word }]) expect(gist(fields)).toBe(lost);
  });
});

describe('states of SQL', () => {
  const states: readonly (readonly [string, string])[] = [
    ['08001', unsent],
    ['08003', unsent],
    ['08004', unsent],
    ['08006', lost],
    ['22012', refused],
    ['23505', refused],
    ['25006', unable],
    ['28P01', badCredentials],
    ['40003', lost],
    ['40001', busy],
    ['42501', notAllowed],
    ['42P01', refused],
    ['44000', refused],
    ['53300', full],
    ['53100', unable],
    ['54000', refused],
    ['55P03', busy],
    ['55006', unable],
    ['57014', unable],
    ['57P03', full],
    ['57P01', lost],
    ['P0001', refused],
    ['XX000', open],
  ];
  it.each(states)('%s', (code, expected) => {
    expect(gist({ code, severity: 'ERROR' })).toBe(expected);
    expect(gist({ sqlState: code })).toBe(expected);
    expect(gist({ code, name: 'PostgresError' })).toBe(expected);
  });

  it('are none unless a driver says more of itself', () => {
    for (const code of ['23505', 'P0001']) expect(gist({ code })).toBe(open);
    class DatabaseError extends Error {}
    const byClass = Object.assign(new DatabaseError('x'), { code: '23505' });
    expect(gist({ cause: byClass })).toBe(refused);
    for (const code of ['2350', '235055', '2350a'])
      expect(gist({ code, severity: 'E' })).toBe(open);
  });
});

describe('numbers of MySQL', () => {
  it.each<[number, string]>([
    [1040, full],
    [1203, full],
    [1226, limited],
    [1044, notAllowed],
    [1045, badCredentials],
    [1142, notAllowed],
    [1143, notAllowed],
    [1205, busy],
    [1213, busy],
    [1290, unable],
    [1317, unable],
    [3024, unable],
    [2002, unsent],
    [2003, unsent],
    [2006, lost],
    [2013, lost],
    [9999, open],
  ])('%d', (errno, expected) => {
    expect(gist({ code: 'ER_SOME', errno })).toBe(expected);
    expect(gist({ code: 'CR_SOME', errno })).toBe(expected);
  });

  it('say no more than the state where they are not known', () => {
    expect(gist({ code: 'ER_DUP_ENTRY', errno: 1062, sqlState: '23000' })).toBe(refused);
    expect(gist({ code: 'ER_DUP_ENTRY', sqlState: '23000' })).toBe(refused);
  });
});

describe('codes of SQLite', () => {
  it.each<[string, number, string]>([
    ['SQLITE_BUSY', 5, busy],
    ['SQLITE_LOCKED', 6, busy],
    ['SQLITE_NOMEM', 7, unable],
    ['SQLITE_READONLY', 8, unable],
    ['SQLITE_INTERRUPT', 9, unable],
    ['SQLITE_FULL', 13, unable],
    ['SQLITE_CANTOPEN', 14, unable],
    ['SQLITE_TOOBIG', 18, refused],
    ['SQLITE_CONSTRAINT', 19, refused],
    ['SQLITE_MISMATCH', 20, refused],
    ['SQLITE_AUTH', 23, notAllowed],
    ['SQLITE_NOTADB', 26, unable],
    ['SQLITE_IOERR', 10, open],
  ])('%s, %d', (code, errcode, expected) => {
    expect(gist({ code })).toBe(expected);
    expect(gist({ code: `${code}_MORE` })).toBe(expected);
    for (const extended of [errcode, errcode + 256, errcode + 512]) {
      expect(gist({ code: 'ERR_SQLITE_ERROR', errcode: extended })).toBe(expected);
    }
  });

  it('of a driver that says no number leave it open', () => {
    expect(gist({ code: 'ERR_SQLITE_ERROR' })).toBe(open);
  });
});

describe('codes of drivers', () => {
  it.each([
    ['PROTOCOL_CONNECTION_LOST', lost],
    ['PROTOCOL_SEQUENCE_TIMEOUT', lost],
    ['PROTOCOL_PACKETS_OUT_OF_ORDER', open],
  ])('%s', (code, expected) => {
    expect(gist({ code })).toBe(expected);
  });

  it.each([
    ['P1000', badCredentials],
    ['P1001', unsent],
    ['P1017', lost],
    ['P2002', refused],
    ['P2003', refused],
    ['P2025', refused],
    ['P2024', full],
    ['P2034', busy],
    ['P2999', open],
  ])('%s, of Prisma only', (code, expected) => {
    expect(gist({ code, name: 'PrismaClientKnownRequestError' })).toBe(expected);
    expect(gist({ code, name: 'OtherClient' })).toBe(open);
  });
});

describe('codes of providers', () => {
  it.each([
    ['rate_limit_exceeded', limited],
    ['insufficient_quota', quota],
    ['billing_hard_limit_reached', quota],
    ['billing_not_active', quota],
    ['account_deactivated', notAllowed],
    ['invalid_api_key', badCredentials],
    ['context_length_exceeded', refused],
    ['content_policy_violation', refused],
    ['content_filter', refused],
    ['model_not_found', refused],
    ['engine_overloaded', overloaded],
    ['server_is_overloaded', overloaded],
    ['slow_down', overloaded],
    ['server_error', open],
    ['rate_limit_error', limited],
    ['overloaded_error', overloaded],
    ['authentication_error', badCredentials],
    ['permission_error', notAllowed],
    ['billing_error', quota],
    ['not_found_error', refused],
    ['request_too_large', refused],
    ['timeout_error', lost],
    ['api_error', open],
    ['rateLimitExceeded', limited],
    ['userRateLimitExceeded', limited],
    ['quotaExceeded', limited],
    ['dailyLimitExceeded', limited],
    ['authError', badCredentials],
    ['insufficientPermissions', notAllowed],
    ['accessNotConfigured', notAllowed],
    ['backendError', open],
    ['invalid_grant', badCredentials],
    ['invalid_token', badCredentials],
    ['invalid_client', badCredentials],
    ['insufficient_scope', notAllowed],
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
  ])('%s, wherever it stands', (code, expected) => {
    for (const name of ['code', 'type', 'error', 'reason', '__type']) {
      expect(gist({ data: { [name]: code, message: 'm' } })).toBe(expected);
      if (name !== 'error') expect(gist({ [name]: code })).toBe(expected);
    }
    expect(gist({ name: code })).toBe(expected);
    expect(gist({ data: { error: { errors: [{ reason: code }, { reason: 'odd' }] } } })).toBe(
      expected,
    );
    // It says more than a status.
    expect(gist({ status: 418, data: { error: { code } } })).toBe(expected);
  });

  it('come with what was said', () => {
    const said = { error: { type: 'api_error', message: 'no' } };
    expect(facts({ data: said }).details).toStrictEqual({ code: 'api_error', message: 'no' });
    expect(facts({ data: { error: { code: 'api_error' } } }, '').details).toStrictEqual({
      code: 'api_error',
    });
  });

  it('that leave it to the status do so where there is one', () => {
    const body = (message: string) => ({ error: { type: 'invalid_request_error', message } });
    expect(gist({ data: body('no') })).toBe(refused);
    expect(gist({ data: body('no'), status: 404 })).toBe(refused);
    expect(gist({ data: body('no'), status: 500 })).toBe(open);
    expect(gist({ data: body('Your credit balance is too low'), status: 400 })).toBe(quota);
    expect(gist({ data: { error: { errors: 'no list' } } })).toBe(open);
    expect(gist({ data: { error: { errors: [null] } } })).toBe(open);
  });

  it.each([
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
    ['ALREADY_EXISTS', open],
    ['DEADLINE_EXCEEDED', open],
    ['INTERNAL', open],
    ['UNKNOWN', open],
    ['DATA_LOSS', open],
  ])('%s of Google, beside a number', (status, expected) => {
    expect(gist({ data: { error: { code: 400, status } } })).toBe(expected);
    expect(gist({}, `13 ${status}: m`)).toBe(expected);
    // A word like any other.
    expect(gist({ data: { error: { status } }, status: 418 })).toBe(refused);
    expect(gist({ status: 418 }, `it was 13 ${status}: m`)).toBe(refused);
    expect(facts({}, `13 ${status}: m`).details).toMatchObject(
      expected === limited || expected === overloaded
        ? { source: expect.anything() }
        : { code: status },
    );
  });
});

describe('errors of MCP', () => {
  it.each([
    ['-32700', unable],
    ['-32600', refused],
    ['-32601', unable],
    ['-32602', refused],
    ['-32603', open],
    ['-32000', open],
    ['-32001', lost],
    ['-32002', refused],
    ['-32020', unable],
    ['-32021', unable],
    ['-32022', unable],
    ['-32042', notAllowed],
    ['-32999', open],
  ])('%s', (code, expected) => {
    expect(gist({ name: 'McpError', code: Number(code) })).toBe(expected);
    expect(gist({}, `MCP error ${code}: m`)).toBe(expected);
    expect(gist({}, `MCP error -1: MCP error ${code}: m`)).toBe(expected);
  });

  it.each([
    ['REQUEST_TIMEOUT', lost],
    ['CONNECTION_CLOSED', lost],
    ['SEND_FAILED', lost],
    ['NOT_CONNECTED', unsent],
    ['INVALID_RESULT', badResult],
    ['ODD', open],
  ])('%s of version 2', (code, expected) => {
    expect(gist({ name: 'SdkError', code })).toBe(expected);
  });

  it.each([
    ['Structured content does not match', badResult],
    ['Output validation error: x', badResult],
    ['Tool x has an output schema but no structured content', badResult],
    ['Tool x has an output schema but did not return any', badResult],
    ['Session not found', busy],
    ['session expired', busy],
    ['session terminated', busy],
    ['No valid session', busy],
    ['Invalid session', busy],
    ['Server not initialized', busy],
    ['not initialized', busy],
    ['Not connected', unsent],
    ['it is not connected', open],
    ['Not connected yet', open],
    ['Input validation error: x', refused],
    ['Invalid arguments for tool x', refused],
    ['Tool send_mail not found', refused],
    ['Tool send_mail disabled', refused],
    ['Unknown tool', refused],
    ['Connection closed', lost],
    ['Request timed out', lost],
    ['Maximum total timeout exceeded', lost],
    ['fetch failed', lost],
    ['terminated', lost],
    ['the fetch failed', open],
    ['terminated by you', open],
    ['something else', open],
  ])('%s', (message, expected) => {
    expect(gist({ name: 'McpError', code: -32000 }, message)).toBe(expected);
    expect(gist({}, `Error calling tool send_mail: McpError: ${message}`)).toBe(expected);
    const onTheServer = `MCP tool 'send_mail' on server 'mail server' returned an error: ${message}`;
    // There the server speaks: what it lost is its own, and a text of its own is an answer.
    const isItsOwn = expected === lost || expected === unsent;
    expect(gist({}, onTheServer)).toBe(isItsOwn ? open : expected === open ? answered : expected);
  });

  it.each([
    'McpError',
    'ProtocolError',
    'SdkError',
    'SdkHttpError',
    'StreamableHTTPError',
    'SseError',
  ])('are those of %s, and an HTTP status is read as such', (name) => {
    expect(gist({ name }, 'Session not found')).toBe(busy);
    expect(gist({ name, status: 404 }, 'Session not found')).toBe(busy);
    expect(gist({ name, status: 404 }, 'something else')).toBe(refused);
    const made = { [name]: class extends Error {} }[name] ?? Error;
    expect(gist({ cause: new made('Session not found') })).toBe(busy);
  });

  it('are credentials where the class says so', () => {
    expect(gist({ name: 'UnauthorizedError' })).toBe(badCredentials);
    class UnauthorizedError extends Error {}
    expect(gist({ cause: new UnauthorizedError('x') })).toBe(badCredentials);
  });

  it('are none without a sign', () => {
    expect(gist({}, 'Session not found')).toBe(open);
    expect(gist({}, 'it said MCP error -32001: m')).toBe(open);
    expect(gist({}, 'Not connected')).toBe(unsent);
  });

  it('say what was said, without the marks of each hop', () => {
    expect(facts({}, 'MCP error -32603: MCP error -32603: no').details).toStrictEqual({
      code: '-32603',
      message: 'no',
    });
    expect(facts({ name: 'McpError' }, '').details).toStrictEqual({});
  });
});
