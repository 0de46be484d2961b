import { describe, expect, it } from 'vitest';
import { classify } from './classify.js';
import { viewOf } from './error-view.js';
import { errorTextOf, readMcp, saysSessionLost } from './mcp.js';
import { printedBy, readProcessResult } from './process.js';
import { readProvider } from './provider.js';
import { failedThere, quotaSpent } from './reading.js';
import { readSql } from './sql.js';

const facts = (error: unknown) =>
  classify(error, {
    class: 'irreversible',
    effectOnError: 'unknown',
    notes: { keyCarried: false, requestsSent: 0, requestsRefused: 0 },
    wallMs: Date.UTC(2026, 0, 1),
  });
const gist = (error: unknown) => {
  const { kind, effect, details } = facts(error);
  return [kind, ...('why' in details ? [details.why] : []), effect].join(', ');
};
const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

describe('what LangChain marks', () => {
  const [limited, quota] = ['rate_limited, none', 'auth_failed, quota, none'];
  const [refused, wrong] = ['business_error, none', 'invalid_arguments, none'];

  it.each([
    [{ name: 'RateLimitCapacityError' }, limited],
    [{ name: 'RateLimitQuotaExhaustedError' }, quota],
    [{ name: 'InsufficientQuotaError' }, quota],
    [{ name: 'ContextOverflowError' }, refused],
    [{ name: 'ModelRefusalError' }, refused],
    [{ name: 'ToolInputParsingException' }, wrong],
    [{ lc_error_code: 'MODEL_RATE_LIMIT' }, limited],
    [{ lc_error_code: 'MODEL_AUTHENTICATION' }, 'auth_failed, credentials, none'],
    [{ lc_error_code: 'MODEL_NOT_FOUND' }, refused],
    [{ lc_error_code: 'INVALID_TOOL_RESULTS' }, refused],
    [{ rateLimitType: 'wait' }, limited],
    [{ rateLimitType: 'capacity' }, limited],
    [{ rateLimitType: 'stop' }, quota],
    [{ rateLimitType: 'stop', name: 'RateLimitCapacityError' }, quota],
    [{ rateLimitType: 'odd' }, 'dependency_failed, unknown'],
  ])('%j is %s', (fields, expected) => {
    expect(gist(error('x', fields))).toBe(expected);
  });

  it('is an error of parsing if its text begins so', () => {
    const text = 'Received tool input did not match expected schema';
    expect(gist(error(text))).toBe(wrong);
    expect(gist(error(`it said: ${text}`))).toBe('dependency_failed, unknown');
  });

  it('ends where the page is recommended', () => {
    const message = 'no such model\n\nTroubleshooting URL: https://docs.example.com';
    expect(facts(error(message, { lc_error_code: 'MODEL_NOT_FOUND' })).details).toStrictEqual({
      message: 'no such model',
    });
  });

  it('as a wrapper says nothing beside its cause', () => {
    const cause = error('no', { status: 422 });
    expect(gist(error('x', { '~brand': 'MiddlewareError', status: 500, cause }))).toBe(refused);
    expect(gist(error('x', { '~brand': 'ToolInvocationError', status: 500, cause }))).toBe(refused);
    expect(gist(error('x', { '~brand': 'OtherError', status: 500, cause }))).toBe(
      'dependency_failed, unknown',
    );
    expect(gist(error('x', { '~brand': 'MiddlewareError', status: 422 }))).toBe(refused);
  });
});

describe('a status', () => {
  const spent = 'You exceeded your current quota, check your plan and billing';

  it('of a quota that is spent is one of somebody who has to pay', () => {
    expect(gist(error(spent, { status: 429 }))).toBe('auth_failed, quota, none');
    expect(gist(error('insufficient credits', { status: 402 }))).toBe('auth_failed, quota, none');
    expect(gist(error('insufficient_balance', { status: 402 }))).toBe('auth_failed, quota, none');
    // Time helps.
    expect(gist(error(`${spent}, try again in 5s`, { status: 429 }))).toBe('rate_limited, none');
    expect(gist(error(spent, { status: 401 }))).toBe('auth_failed, credentials, none');
    expect(gist(error(spent, { status: 500 }))).toBe('dependency_failed, unknown');
  });

  it('comes with the code of the other side, not with its client’s', () => {
    const code = (fields: object) => {
      const { details } = facts(error('no', { status: 422, ...fields }));
      return 'code' in details ? details.code : undefined;
    };
    expect(code({ data: { error: { code: 'sold_out', type: 'odd' } } })).toBe('sold_out');
    expect(code({ data: { error: { type: 'odd' } } })).toBe('odd');
    expect(code({ code: 'sold_out' })).toBe('sold_out');
    expect(code({ code: 'ERR_BAD_REQUEST' })).toBeUndefined();
    expect(code({ code: 'MY_ERR_1' })).toBe('MY_ERR_1');
    expect(code({ code: 'E42' })).toBe('E42');
    expect(code({ code: '42E' })).toBe('42E');
    for (const status of ['422', 422]) expect(code({ code: status })).toBeUndefined();
  });
});

describe('a program', () => {
  const ended = (printed: string, fields: object = {}) =>
    error('Command failed: x', { cmd: 'x', code: 1, stderr: printed, ...fields });

  it.each([
    ['curl: (6) no host', 'transport_lost, unknown'],
    ['first\ncurl: (28) timeout', 'transport_lost, unknown'],
    ['see curl: (28) for more', 'dependency_failed, unknown'],
    ['see curl: (6) for more', 'dependency_failed, unknown'],
    ['token expired', 'auth_failed, credentials, unknown'],
    ['the token has expired', 'auth_failed, credentials, unknown'],
    ['HTTP 401: Unauthorized', 'auth_failed, credentials, unknown'],
    ['connection refused', 'transport_lost, unknown'],
    ['rate limit exceeded', 'rate_limited, unknown'],
  ])('that said %j', (printed, expected) => {
    expect(gist(ended(printed))).toBe(expected);
  });

  it.each([
    { killed: true },
    { timedOut: true },
    { isCanceled: true },
    { code: 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' },
    { code: 143 },
    { signal: 'SIGKILL' },
  ])('that was ended by %j may have acted', (fields) => {
    expect(gist(ended('half of it', fields))).toBe('transport_lost, unknown');
  });

  it.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
    'that did not start for %s may later',
    (code) => {
      expect(facts(error('x', { syscall: 'spawn x', code }))).toMatchObject({
        kind: 'dependency_failed',
        effect: 'none',
        details: { code, transient: true },
      });
    },
  );

  it('is told by how it ended and by what it said last', () => {
    const message = 'c\nd\ne';
    expect(facts(ended('a\nb\nc\nd\ne\n')).details).toStrictEqual({ code: 'exit 1', message });
    expect(facts(ended('\n\n  e')).details).toStrictEqual({ code: 'exit 1', message: 'e' });
    expect(facts(ended('', { exitCode: 3 })).details).toStrictEqual({ code: 'exit 3' });
    expect(facts(ended('a', { killed: true, code: null })).details).toStrictEqual({
      code: 'stopped',
      sent: true,
    });
    // `exec` keeps it in the message alone.
    expect(facts(error('Command failed: x\nno disk', { cmd: 'x', code: 1 })).details).toStrictEqual(
      {
        code: 'exit 1',
        message: 'no disk',
      },
    );
    expect(facts(error('Command failed: x', { cmd: 'x', code: 1 })).details).toStrictEqual({
      code: 'exit 1',
    });
  });
});

describe('a result of a program', () => {
  it.each<[object, string | undefined]>([
    [{ exitCode: 1, stdout: '', stderr: 'no' }, 'exit 1'],
    [{ code: 2, stdout: 'a' }, 'exit 2'],
    [{ exitCode: 1, code: 0, stderr: '' }, 'exit 1'],
    [{ signal: 'SIGTERM', stderr: '' }, 'SIGTERM'],
    [{ exitCode: 0, signal: 'SIGTERM', stdout: '' }, 'SIGTERM'],
    [{ exitCode: 0, stdout: 'a' }, undefined],
    [{ stdout: 'a', stderr: 'b' }, undefined],
    [{ exitCode: 1 }, undefined],
  ])('%j says %s', (result, code) => {
    expect(readProcessResult(result)?.code).toBe(code);
  });

  it('is lost if a limit ended it, else what it printed', () => {
    const result = { exitCode: 1, stdout: 'out', stderr: 'err' };
    expect(readProcessResult(result)).toMatchObject({
      meaning: { kind: 'dependency_failed', did: 'unclear' },
      message: 'out\nerr',
    });
    expect(readProcessResult({ ...result, stdout: '' })?.message).toBe('err');
    expect(readProcessResult({ ...result, timedOut: true })?.meaning.did).toBe('lost');
  });
});

describe('what one source reads by itself', () => {
  it.each([
    { code: 'SQLITE_IOERR_FSYNC' },
    { code: 'ERR_SQLITE_ERROR', errcode: 10 },
    { code: 'ER_NEW', errno: 9_999, sqlState: 'ZZ000' },
  ])('a database that failed otherwise, by %j', (fields) => {
    expect(readSql(viewOf(error('it failed', fields)))).toStrictEqual({
      meaning: failedThere,
      code: fields.code,
      message: 'it failed',
    });
  });

  it('credit that is spent, which Anthropic calls a request that is wrong', () => {
    const message = 'Your credit balance is too low to access the API.';
    const body = { type: 'error', error: { type: 'invalid_request_error', message } };
    expect(readProvider(viewOf(error(message, { status: 400, error: body })))).toStrictEqual({
      meaning: quotaSpent,
      code: 'invalid_request_error',
      message,
    });
  });

  it('the texts among the blocks of a content', () => {
    const textOf = (content: unknown) => errorTextOf({ isError: true, content });
    expect(textOf(['a', null, 5, { type: 'image' }, { type: 'text', text: 'no' }])).toBe('no');
    expect(textOf(5)).toBe('');
  });

  it('that a session of MCP is lost', () => {
    expect(saysSessionLost('Session not found')).toBe(true);
    expect(saysSessionLost('The file was not found')).toBe(false);
  });

  it.each([
    'Error calling tool a: McpError: no',
    "MCP tool 'a' on server 'b' returned an error: no",
  ])("an adapter's error by its beginning: %s", (text) => {
    expect(readMcp(viewOf(error(text)))?.message).toBe('no');
    expect(readMcp(viewOf(error(`it said: ${text}`)))).toBeUndefined();
  });

  it('what a program printed, and no line for what it did not', () => {
    expect(printedBy({ stdout: '', stderr: 'x' })).toBe('x');
    expect(printedBy({ stdout: 'a', stderr: 'b' })).toBe('a\nb');
  });
});
