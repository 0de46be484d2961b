import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../failure.js';
import { PartTimeout } from './abort.js';
import { classify } from './classify.js';
import type { AttemptSetting } from './reading-facts.js';

const facts = (
  error: unknown,
  effectClass: AttemptSetting['class'] = 'read',
  notes: Partial<AttemptSetting['notes']> = {},
): FailureFacts =>
  classify(error, {
    class: effectClass,
    effectOnError: 'unknown',
    notes: { keyCarried: false, requestsSent: 0, requestsRefused: 0, ...notes },
    wallMs: Date.UTC(2026, 0, 1),
  });
const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

describe('a clock of the guard itself', () => {
  it('says which limit ran out, whichever copy of the package noticed', () => {
    const ran = new PartTimeout('idle', 500);
    expect([ran.name, ran.message]).toEqual(['PartTimeout', 'the idle limit of 500 ms ran out']);
    const ofAnotherCopy = { [Symbol.for('holdfast.part-timeout')]: true };
    for (const one of [ran, error('x', { ...ofAnotherCopy, limit: 'idle', afterMs: 500 })]) {
      expect(facts(one)).toMatchObject({
        kind: 'timed_out',
        details: { limit: 'idle', afterMs: 500, stillRunning: false },
      });
    }
  });
});

describe('what a failure holds', () => {
  it('is what was said, and no field without a value', () => {
    expect(facts({}).details).toStrictEqual({});
    expect(facts(error('x')).details).toStrictEqual({ message: 'x' });
    expect(facts(error('x', { code: 'E_ODD' })).details).toStrictEqual({
      message: 'x',
      code: 'E_ODD',
    });
    expect(facts(error('x', { code: 'ECONNRESET' })).details).toStrictEqual({
      code: 'ECONNRESET',
      sent: true,
    });
    expect(facts(error('fetch failed')).details).toStrictEqual({ sent: true });
    expect(facts(error('no', { status: 404 })).details).toStrictEqual({
      status: 404,
      message: 'no',
    });
    expect(facts(error('', { status: 500 })).details).toStrictEqual({ status: 500 });
    expect(facts(error('no', { status: 401 })).details).toStrictEqual({
      why: 'credentials',
      status: 401,
      message: 'no',
    });
    expect(facts(error('busy', { status: 529 })).details).toStrictEqual({
      source: 'status 529',
      status: 529,
    });
  });

  it('is a text for an error that cannot be read', () => {
    const hostile = new Proxy(new Error('x'), {
      has: () => {
        throw new Error('no');
      },
    });
    expect(facts(hostile)).toMatchObject({
      details: { message: 'the tool threw something that cannot be read' },
    });
  });

  it('is whether the request can have left', () => {
    const refused = error('x', { code: 'ECONNREFUSED' });
    expect(facts(refused).details).toStrictEqual({ code: 'ECONNREFUSED', sent: false });
    expect(facts(refused, 'read', { requestsSent: 1 }).details).toMatchObject({ sent: true });
  });

  it('is the problem with arguments or a result', () => {
    const wrong = error('amount is missing', { name: 'ToolInputParsingException' });
    expect(facts(wrong)).toMatchObject({
      kind: 'invalid_arguments',
      details: { problems: [{ path: [], message: 'amount is missing' }] },
    });
  });

  it('names where a limit was read', () => {
    expect(facts(error('x', { name: 'RateLimitCapacityError' })).details).toStrictEqual({
      source: 'text',
    });
  });
});

describe('of several errors in one', () => {
  it('the first of those that are equally bad says what it is', () => {
    const both = new AggregateError([
      error('first', { status: 500 }),
      error('second', { status: 502 }),
    ]);
    expect(facts(both).details).toStrictEqual({ status: 500, message: 'first' });
  });

  it('what was done outweighs what was refused', () => {
    const message = 'Tool x has an output schema but did not return structured content';
    const done = error(message, { name: 'McpError', code: -32600 });
    const both = new AggregateError([error('no', { status: 422 }), done]);
    expect(facts(both, 'irreversible')).toMatchObject({ kind: 'result_invalid', effect: 'done' });
  });

  it('a field named errors that holds none is no list of errors', () => {
    const validation = error('invalid', { errors: 'two of them' });
    expect(facts(validation, 'irreversible').details).toStrictEqual({ message: 'invalid' });
  });

  it('a member of which nothing is known says that, in its own words', () => {
    const both = new AggregateError([error('no', { status: 422 }), error('odd')], 'both failed');
    expect(facts(both, 'irreversible')).toMatchObject({
      kind: 'dependency_failed',
      effect: 'unknown',
      details: { message: 'both failed' },
    });
  });

  it('that was lost is lost, whatever is known of its members', () => {
    const both = new AggregateError([error('odd')], 'fetch failed');
    expect(facts(both, 'irreversible')).toMatchObject({ kind: 'transport_lost' });
  });

  it('a wrapper around nothing speaks for itself', () => {
    const alone = error('it broke', { '~brand': 'ToolInvocationError' });
    expect(facts(alone).details).toStrictEqual({ message: 'it broke' });
  });
});

describe('a wait that a client wrote on its error', () => {
  it('counts if it is one', () => {
    const stamped = (retryAfterMs: unknown) =>
      facts(error('slow down', { status: 429, retryAfterMs })).details;
    expect(stamped(1_500)).toMatchObject({ retryAfterMs: 1_500, source: 'retryAfterMs' });
    for (const odd of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, '7', undefined]) {
      expect(stamped(odd)).toStrictEqual({ source: 'status 429' });
    }
  });
});
