import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { EffectClass } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { type Failure, type FailureFacts, GuardError } from '../failure.js';
import { failed } from '../next-step.js';
import { StatedFailure } from '../stated-failure.js';
import { causes } from './causes.js';
import { classify } from './classify.js';
import type { AttemptSetting } from './reading-facts.js';
import { provesUnsent } from './system.js';

const coded = (code: string, cause?: unknown) =>
  Object.assign(new Error(code, { cause }), { code });
const status = (code: number) => Object.assign(new Error(`status ${code}`), { status: code });

function facts(
  error: unknown,
  effectClass: EffectClass = 'irreversible',
  more: {
    requestsSent?: number;
    requestsRefused?: number;
    effectOnError?: AttemptSetting['effectOnError'];
  } = {},
): FailureFacts {
  return classify(error, {
    class: effectClass,
    effectOnError: more.effectOnError ?? 'unknown',
    notes: {
      keyCarried: false,
      requestsSent: more.requestsSent ?? 0,
      requestsRefused: more.requestsRefused ?? 0,
    },
    wallMs: Date.UTC(2026, 0, 1),
  });
}
const gist = (failure: FailureFacts) => `${failure.kind}, ${failure.effect}`;

describe('the causes of an error', () => {
  it('are walked outermost first, members of an AggregateError included, plain objects too', () => {
    const inner = { name: 'plain', cause: coded('B') };
    const error = new AggregateError([coded('A'), inner], 'both');
    const outer = new Error('outer', { cause: error });
    expect(causes(outer).map((cause) => Reflect.get(cause, 'code'))).toEqual([
      undefined,
      undefined,
      'A',
      undefined,
      'B',
    ]);
  });

  it('end, although a chain leads back to itself, and are never too many', () => {
    const error = new Error('loop');
    error.cause = new Error('inner', { cause: error });
    expect(causes(error).length).toBe(2);
    let chain = new Error('last');
    for (let i = 0; i < 1_000; i += 1) chain = new Error('outer', { cause: chain });
    expect(causes(chain).length).toBe(50);
    expect(causes('text')).toEqual([]);
    expect(causes(null)).toEqual([]);
  });
});

describe('whether the request can have left', () => {
  it('is known of a refused connection, and of all of them', () => {
    expect(provesUnsent(new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }))).toBe(
      true,
    );
    expect(provesUnsent(new AggregateError([coded('ECONNREFUSED'), coded('ENOTFOUND')]))).toBe(
      true,
    );
    expect(provesUnsent(new AggregateError([coded('ECONNREFUSED'), coded('ECONNRESET')]))).toBe(
      false,
    );
    expect(provesUnsent(coded('EHOSTUNREACH'))).toBe(false);
    expect(provesUnsent(Object.assign(coded('EHOSTUNREACH'), { syscall: 'connect' }))).toBe(true);
    expect(provesUnsent(new Error('x'))).toBe(false);
  });

  it('a refused connection proves nothing of an irreversible tool whose requests nobody counted', () => {
    const refused = coded('ECONNREFUSED');
    expect(gist(facts(refused))).toBe('transport_lost, unknown');
    expect(gist(facts(refused, 'irreversible', { requestsRefused: 1 }))).toBe(
      'transport_lost, none',
    );
    expect(gist(facts(refused, 'irreversible', { effectOnError: 'none' }))).toBe(
      'transport_lost, none',
    );
  });

  it('RS-23: nor about the requests before it', () => {
    const refused = coded('ECONNREFUSED');
    for (const effectClass of ['irreversible', 'idempotent-write', 'undeclared'] as const) {
      expect(facts(refused, effectClass, { requestsSent: 1 })).toMatchObject({
        kind: 'transport_lost',
        effect: 'unknown',
        details: { sent: true },
      });
    }
    expect(gist(facts(refused, 'read', { requestsSent: 1 }))).toBe('transport_lost, none');
  });

  it('a loss is unknown whatever the entry says about errors', () => {
    expect(gist(facts(coded('ECONNRESET'), 'irreversible', { effectOnError: 'none' }))).toBe(
      'transport_lost, unknown',
    );
  });

  it('a refusal speaks for its own request only', () => {
    const sent = (requestsSent: number, more = {}) =>
      gist(facts(status(422), 'irreversible', { requestsSent, ...more }));
    expect(sent(1)).toBe('business_error, none');
    expect(sent(2)).toBe('business_error, unknown');
    expect(sent(2, { effectOnError: 'none' })).toBe('business_error, none');
    expect(gist(facts(status(422), 'read', { requestsSent: 2 }))).toBe('business_error, none');
    expect(gist(facts(status(429), 'irreversible', { requestsSent: 2 }))).toBe(
      'rate_limited, unknown',
    );
  });
});

describe('what the entry says about errors', () => {
  it.each([408, 409, 500, 503, 529])('holds for %i', (code) => {
    expect(facts(status(code)).effect).toBe('unknown');
    expect(facts(status(code), 'irreversible', { effectOnError: 'none' }).effect).toBe('none');
    expect(facts(status(code), 'delegates').effect).toBe('none');
  });

  it('holds for what nobody knows', () => {
    expect(gist(facts(new Error('x')))).toBe('dependency_failed, unknown');
    expect(gist(facts(new Error('x'), 'undeclared'))).toBe('dependency_failed, unknown');
    expect(gist(facts(new Error('x'), 'irreversible', { effectOnError: 'none' }))).toBe(
      'dependency_failed, none',
    );
    expect(gist(facts(new Error('x'), 'read'))).toBe('dependency_failed, none');
  });
});

describe('several errors in one', () => {
  it('what leaves the most in doubt decides', () => {
    expect(gist(facts(new AggregateError([status(422), status(500)])))).toBe(
      'dependency_failed, unknown',
    );
    expect(gist(facts(new AggregateError([status(500), coded('ECONNRESET')])))).toBe(
      'transport_lost, unknown',
    );
    expect(gist(facts(Object.assign(status(422), { cause: coded('ECONNRESET') })))).toBe(
      'transport_lost, unknown',
    );
    expect(gist(facts(Object.assign(status(422), { cause: coded('ECONNREFUSED') })))).toBe(
      'business_error, none',
    );
  });

  it('what is known of one member is not said of another, nor of one that is no error', () => {
    const silent = new Error('the second mail failed');
    expect(gist(facts(new AggregateError([silent, status(429)])))).toBe(
      'dependency_failed, unknown',
    );
    expect(gist(facts(new AggregateError([status(422), 'the second mail failed'])))).toBe(
      'dependency_failed, unknown',
    );
    const explained = new Error('the second mail failed', { cause: status(422) });
    expect(facts(new AggregateError([explained, status(429)])).effect).toBe('none');
  });

  it('details of a refusal are no members', () => {
    const error = Object.assign(status(422), {
      errors: [{ field: 'to', message: 'is no address' }],
    });
    expect(gist(facts(error))).toBe('business_error, none');
  });

  it('the time to wait comes from whichever says it', () => {
    const inner = Object.assign(status(429), { headers: { 'retry-after': '7' } });
    const outer = Object.assign(new Error('too many requests', { cause: inner }), { status: 429 });
    expect(facts(outer).details).toEqual({ retryAfterMs: 7_000, source: 'retry-after' });
  });
});

describe('words without a status', () => {
  it('say why, and prove nothing', () => {
    const error = new Error('step 2 failed: rate limit exceeded, try again in 5 seconds');
    expect(facts(error)).toMatchObject({
      kind: 'rate_limited',
      effect: 'unknown',
      details: { retryAfterMs: 5_000, source: 'text' },
    });
    expect(gist(facts(error, 'read'))).toBe('rate_limited, none');
  });

  it('do not outweigh a status', () => {
    const error = Object.assign(new Error('try again in 5 minutes'), { status: 422 });
    expect(gist(facts(error))).toBe('business_error, none');
  });
});

describe('whatever is thrown', () => {
  it.each([
    ['just text', 'just text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [17, '17'],
  ])('%j is a failed dependency', (thrown, message) => {
    expect(facts(thrown)).toMatchObject({
      kind: 'dependency_failed',
      effect: 'unknown',
      details: { message },
    });
  });

  it('has no message of its own where it has none', () => {
    expect(facts({}).details).toEqual({});
    expect(facts(Object.create(null)).details).toEqual({});
  });

  it('an error that cannot be read says nothing', () => {
    const hostile = new Proxy(new Error('x'), {
      has: () => {
        throw new Error('no');
      },
    });
    expect(gist(facts(hostile))).toBe('dependency_failed, unknown');
    expect(gist(facts(hostile, 'read'))).toBe('dependency_failed, none');
  });

  it('a body that leads back to itself is read as far as it goes', () => {
    const body: Record<string, unknown> = { message: 'sold out' };
    body.self = body;
    expect(facts(Object.assign(status(422), { data: body })).details).toEqual({
      status: 422,
      message: 'sold out',
    });
  });

  it('keeps the error as cause', () => {
    const error = new Error('x');
    expect(facts(error).cause).toBe(error);
    expect(facts(coded('ECONNRESET', error)).cause).toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('what is known already', () => {
  it('what is stated is not classified', () => {
    const stated = new StatedFailure('business_error', 'none', { message: 'sold out' });
    expect(facts(stated)).toBe(stated.facts);
    expect(stated.facts).toEqual({
      kind: 'business_error',
      effect: 'none',
      next: { by: 'model', advice: 'fix_arguments' },
      details: { message: 'sold out' },
    });
  });

  it('a guarded call inside has its own row: its text does not get into the text of this one', () => {
    const ended = (inside: FailureFacts): Failure => ({
      ...inside,
      tool: 'send_mail',
      callId: 'c',
      runId: 'r',
      intentId: 'i',
      attempts: 0,
      forModel: 'status: circuit_open\nnext: do not call it again',
      forUser: '',
    });
    const inner = failed('circuit_open', 'none', { since: 0, retryAfterMs: 1, scope: 'tool' });
    const message = 'the call of send_mail inside of it failed';
    expect(facts(new GuardError(ended(inner)))).toEqual(
      failed('dependency_failed', 'unknown', { code: 'circuit_open', message, innerCall: true }),
    );
    expect(gist(facts(new GuardError(ended(inner)), 'delegates'))).toBe('dependency_failed, none');
    // Its retries are left to the call around it, with the wait that it was asked for.
    const limited = failed('rate_limited', 'none', { source: 'retry-after', retryAfterMs: 2_000 });
    expect(facts(new GuardError(ended(limited)), 'read').details).toEqual({
      ...{ code: 'rate_limited', message, innerCall: true, transient: true, retryAfterMs: 2_000 },
    });
  });
});

describe('errors of this very Node', () => {
  const run = promisify(execFile);
  const failureOf = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return facts(error, 'irreversible');
  };

  it('a program that is not there', async () => {
    expect(await failureOf(run('no-such-program-anywhere', []))).toMatchObject({
      kind: 'dependency_failed',
      effect: 'none',
      details: { code: 'ENOENT' },
    });
  });

  it('a program that failed', async () => {
    const script = 'console.error("no such order"); process.exit(3)';
    expect(await failureOf(run(process.execPath, ['-e', script]))).toMatchObject({
      kind: 'dependency_failed',
      effect: 'unknown',
      details: { code: 'exit 3', message: 'no such order' },
    });
  });

  it('a program that was killed', async () => {
    const script = 'process.kill(process.pid, "SIGKILL")';
    expect(await failureOf(run(process.execPath, ['-e', script]))).toMatchObject({
      kind: 'transport_lost',
      effect: 'unknown',
      details: { code: 'SIGKILL', sent: true },
    });
  });

  it('an abort of the tool itself', async () => {
    const aborted = fetch('http://127.0.0.1:9/', { signal: AbortSignal.abort() });
    expect(await failureOf(aborted)).toMatchObject({
      kind: 'transport_lost',
      effect: 'unknown',
      details: { code: 'AbortError', sent: true },
    });
  });
});
