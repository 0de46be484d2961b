import type { EffectClass } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../failure.js';
import { StatedFailure } from '../stated-failure.js';
import { classify, type ErrorSetting } from './classify.js';
import { httpFailure } from './http.js';
import { causes, connectionFailure, provesUnsent } from './system.js';

const coded = (code: string, cause?: unknown) =>
  Object.assign(new Error(code, { cause }), { code });
const status = (code: number) => Object.assign(new Error(`status ${code}`), { status: code });

function facts(
  error: unknown,
  effectClass: EffectClass = 'irreversible',
  more: {
    requestsSent?: number;
    requestsRefused?: number;
    effectOnError?: ErrorSetting['effectOnError'];
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
  });
}
const gist = (failure: FailureFacts) => `${failure.kind}, ${failure.effect}`;

describe('the causes of an error', () => {
  it('are walked depth first, members of an AggregateError included, plain objects too', () => {
    const inner = { name: 'plain', cause: coded('B') };
    const error = new AggregateError([coded('A'), inner], 'both');
    const outer = new Error('outer', { cause: error });
    expect([...causes(outer)].map((cause) => Reflect.get(cause, 'code'))).toEqual([
      undefined,
      undefined,
      'A',
      undefined,
      'B',
    ]);
  });

  it('end, although a chain leads back to itself', () => {
    const error = new Error('loop');
    error.cause = error;
    expect([...causes(error)].length).toBe(8);
    expect([...causes('text')]).toEqual([]);
    expect([...causes(null)]).toEqual([]);
  });
});

describe('connection failures', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
    '%s proves that nothing left',
    (code) => {
      expect(provesUnsent(new TypeError('fetch failed', { cause: coded(code) }))).toBe(true);
      expect(gist(facts(coded(code), 'irreversible', { requestsRefused: 1 }))).toBe(
        'transport_lost, none',
      );
      expect(gist(facts(coded(code), 'undeclared'))).toBe('transport_lost, none');
    },
  );

  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT'])(
    '%s may have been acted on',
    (code) => {
      expect(provesUnsent(coded(code))).toBe(false);
      expect(gist(facts(coded(code)))).toBe('transport_lost, unknown');
      expect(gist(facts(coded(code), 'read'))).toBe('transport_lost, none');
    },
  );

  it('one lost request outweighs any number of refused ones', () => {
    const error = new AggregateError([coded('ECONNREFUSED'), coded('ECONNRESET')]);
    expect(connectionFailure(error)).toEqual({ code: 'ECONNRESET', sent: true });
    const refused = new AggregateError([coded('ECONNREFUSED'), coded('ENOTFOUND')]);
    expect(connectionFailure(refused)).toEqual({ code: 'ECONNREFUSED', sent: false });
  });

  it('a refused connection proves nothing of an irreversible tool whose requests nobody counted', () => {
    expect(gist(facts(coded('ECONNREFUSED')))).toBe('transport_lost, unknown');
    expect(gist(facts(coded('ECONNREFUSED'), 'irreversible', { effectOnError: 'none' }))).toBe(
      'transport_lost, none',
    );
  });

  it('a host out of reach is a proof while connecting only', () => {
    const lost = coded('EHOSTUNREACH');
    expect(provesUnsent(lost)).toBe(false);
    expect(provesUnsent(Object.assign(lost, { syscall: 'connect' }))).toBe(true);
  });

  it('an error that cannot be read says nothing', () => {
    const hostile = new Proxy(new Error('x'), {
      has: () => {
        throw new Error('no');
      },
    });
    expect(gist(facts(hostile))).toBe('dependency_failed, unknown');
  });

  it('a refused connection proves nothing about the requests before it', () => {
    expect(
      gist(facts(coded('ECONNREFUSED'), 'irreversible', { requestsSent: 1, requestsRefused: 0 })),
    ).toBe('transport_lost, unknown');
    expect(
      gist(facts(coded('ECONNREFUSED'), 'read', { requestsSent: 1, requestsRefused: 0 })),
    ).toBe('transport_lost, none');
  });

  it('a loss is unknown whatever the entry says about errors', () => {
    expect(gist(facts(coded('ECONNRESET'), 'irreversible', { effectOnError: 'none' }))).toBe(
      'transport_lost, unknown',
    );
  });

  it('an unknown code is no connection failure', () => {
    expect(connectionFailure(coded('EWHATEVER'))).toBeUndefined();
    expect(connectionFailure(Object.assign(new Error('x'), { code: 23 }))).toBeUndefined();
  });

  it("the tool's own time limit is one", () => {
    expect(gist(facts(new DOMException('too slow', 'TimeoutError')))).toBe(
      'transport_lost, unknown',
    );
  });
});

describe('HTTP statuses', () => {
  it.each<[number, string, string]>([
    [400, 'business_error, none', 'business_error, none'],
    [401, 'auth_failed, none', 'auth_failed, none'],
    [403, 'auth_failed, none', 'auth_failed, none'],
    [404, 'business_error, none', 'business_error, none'],
    [408, 'dependency_failed, unknown', 'dependency_failed, none'],
    [409, 'dependency_failed, unknown', 'dependency_failed, none'],
    [422, 'business_error, none', 'business_error, none'],
    [425, 'dependency_failed, none', 'dependency_failed, none'],
    [429, 'dependency_failed, none', 'dependency_failed, none'],
    [500, 'dependency_failed, unknown', 'dependency_failed, none'],
    [503, 'dependency_failed, unknown', 'dependency_failed, none'],
  ])('%i of a write is %s, of a read %s', (code, write, read) => {
    expect(gist(facts(status(code)))).toBe(write);
    expect(gist(facts(status(code), 'read'))).toBe(read);
  });

  it('are found where the common clients put them', () => {
    const found = (error: unknown) => httpFailure(error, 'unknown')?.kind;
    expect(found({ statusCode: 422 })).toBe('business_error');
    expect(found({ response: { status: 422 } })).toBe('business_error');
    expect(found(new Error('outer', { cause: status(401) }))).toBe('auth_failed');
    expect(found({ status: 200 })).toBeUndefined();
    expect(found({ status: '422' })).toBeUndefined();
    expect(found({ response: null })).toBeUndefined();
  });

  it('a refusal speaks for its own request only', () => {
    expect(gist(facts(status(422), 'irreversible', { requestsSent: 1, requestsRefused: 0 }))).toBe(
      'business_error, none',
    );
    expect(gist(facts(status(422), 'irreversible', { requestsSent: 2, requestsRefused: 0 }))).toBe(
      'dependency_failed, unknown',
    );
    expect(gist(facts(status(422), 'read', { requestsSent: 2, requestsRefused: 0 }))).toBe(
      'business_error, none',
    );
  });
});

describe('everything else', () => {
  it('is a failed dependency, unknown for a write unless its entry says otherwise', () => {
    expect(gist(facts(new Error('x')))).toBe('dependency_failed, unknown');
    expect(gist(facts(new Error('x'), 'undeclared'))).toBe('dependency_failed, unknown');
    expect(gist(facts(new Error('x'), 'irreversible', { effectOnError: 'none' }))).toBe(
      'dependency_failed, none',
    );
    expect(gist(facts(new Error('x'), 'read'))).toBe('dependency_failed, none');
    expect(facts('just text').details).toEqual({ message: 'just text' });
    expect(gist(facts(undefined))).toBe('dependency_failed, unknown');
  });

  it('keeps the error as cause', () => {
    const error = new Error('x');
    expect(facts(error).cause).toBe(error);
    expect(facts(coded('ECONNRESET', error)).cause).toMatchObject({ code: 'ECONNRESET' });
  });

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
});
