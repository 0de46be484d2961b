import { describe, expect, it } from 'vitest';
import { messageOf, saidIn, textOf, viewOf } from './error-view.js';

describe('an error as its readers see it', () => {
  it('has what it has, and no field without a value', () => {
    const nothing = {};
    expect(viewOf(nothing)).toStrictEqual({
      error: nothing,
      name: '',
      className: 'Object',
      message: '',
    });
    expect(viewOf(Object.create(null)).className).toBe('');
    class OddError extends Error {}
    expect(viewOf(new OddError('odd'))).toMatchObject({
      name: 'Error',
      className: 'OddError',
      message: 'odd',
    });
    expect(viewOf({ statusText: 'Gone' }).message).toBe('Gone');
    expect(viewOf({ message: 5 }).message).toBe('');
  });

  it('has a code that is text or a number', () => {
    expect(viewOf({ code: 'E' }).code).toBe('E');
    expect(viewOf({ code: 7 }).code).toBe(7);
    for (const code of [true, null, {}]) expect(viewOf({ code })).not.toHaveProperty('code');
  });
});

describe('the status of an error', () => {
  it.each<[object, number | undefined]>([
    [{ status: 404 }, 404],
    [{ statusCode: 404 }, 404],
    [{ response: { status: 404 } }, 404],
    [{ response: { statusCode: 404 } }, 404],
    [{ $metadata: { httpStatusCode: 404 } }, 404],
    [{ code: 404 }, 404],
    [{ code: '503' }, 503],
    // What is no failure is passed over.
    [{ status: 200, response: { status: 404 } }, 404],
    [{ status: 400 }, 400],
    [{ status: 599 }, 599],
    [{ status: 399 }, undefined],
    [{ status: 600 }, undefined],
    [{ status: '404' }, undefined],
    [{ code: 'E503' }, undefined],
    [{ code: '5031' }, undefined],
    [{ response: null, $metadata: null }, undefined],
  ])('of %j is %s', (error, status) => {
    expect(viewOf(error).status).toBe(status);
  });
});

describe('the headers of an error', () => {
  const [own, theirs] = [{ a: '1' }, { b: '2' }];

  it('are those of its response, else its own', () => {
    expect(viewOf({ headers: own, response: { headers: theirs } }).headers).toBe(theirs);
    expect(viewOf({ headers: own, response: { status: 500 } }).headers).toBe(own);
    expect(viewOf({ responseHeaders: own }).headers).toBe(own);
    expect(viewOf({ headers: 'a: 1' })).not.toHaveProperty('headers');
  });
});

describe('the body of an error', () => {
  const body = { error: { message: 'sold out' } };

  it.each(['error', 'data', 'body', 'responseBody'])(
    'stands in %s, parsed where it is JSON',
    (name) => {
      expect(viewOf({ [name]: body }).body).toBe(body);
      expect(viewOf({ [name]: JSON.stringify(body) }).body).toEqual(body);
      expect(viewOf({ response: { [name]: body } }).body).toBe(body);
      expect(viewOf({ [name]: 'sold out' }).body).toBe('sold out');
    },
  );

  it.each([
    ['nothing', ''],
    ['null', null],
    ['a stream of the web', { getReader: () => {} }],
    ['a stream of Node', { pipe: () => {} }],
    ['bytes', new Uint8Array(3)],
    ["a client's own error", new Error('x')],
  ])('is not %s', (_, value) => {
    expect(viewOf({ data: value })).not.toHaveProperty('body');
    expect(viewOf({ data: value, responseBody: body }).body).toBe(body);
  });

  it.each<[string, unknown]>([
    ['429 {"error":{"message":"slow"}} (request 7)', { error: { message: 'slow' } }],
    ['{ "a": 1 }', { a: 1 }],
    ['got [{"a":[1]}]', [{ a: [1] }]],
    ['got {"a":[1]}', { a: [1] }],
    ['got [ "a", "b" ]!', ['a', 'b']],
    ['{{"a":1}', undefined],
    ['{"a":1', undefined],
    ['} {"a"', undefined],
    ['no [JSON] here {}', undefined],
    ['"text"', undefined],
    ['', undefined],
  ])('stands in the message where that holds JSON: %s', (message, found) => {
    expect(viewOf({ message }).body).toEqual(found);
  });

  it('is read by nobody if it is very long', () => {
    const long = (length: number) => JSON.stringify({ a: 'x'.repeat(length - 8) });
    expect(viewOf({ message: long(100_000) }).body).toBeDefined();
    expect(viewOf({ message: long(100_001) }).body).toBeUndefined();
  });
});

describe('what a body says', () => {
  it('stands in its error, or at its top', () => {
    expect(saidIn({ error: { message: 'a' }, message: 'b' })).toEqual({ message: 'a' });
    expect(saidIn({ message: 'b' })).toEqual({ message: 'b' });
    expect(saidIn([{ error: { message: 'a' } }, 'b'])).toEqual({ message: 'a' });
    for (const nothing of [undefined, null, 'text', 5, [], [null]]) {
      expect(saidIn(nothing)).toBeUndefined();
    }
  });

  it('may be wrapped once more in the text of its message', () => {
    const wrapped = (inner: unknown) => ({ error: { message: JSON.stringify(inner), code: 1 } });
    expect(saidIn(wrapped({ error: { message: 'a' } }))).toEqual({ message: 'a' });
    // Anything else in there is not what it says.
    for (const inner of [{ message: 'a' }, [{ error: { message: 'a' } }]]) {
      expect(saidIn(wrapped(inner))).toEqual(wrapped(inner).error);
    }
  });
});

describe('the text of an error', () => {
  it('is its message and its body', () => {
    expect(textOf(viewOf({ message: 'no' }))).toBe('no');
    expect(textOf(viewOf({ message: 'no', data: 'sold out' }))).toBe('no\nsold out');
    expect(textOf(viewOf({ message: 'no', data: { a: 1 } }))).toBe('no\n{"a":1}');
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(textOf(viewOf({ message: 'no', data: circle }))).toBe('no');
  });

  it.each(['message', 'error_description', 'detail', 'title', 'error'])(
    'its most telling part is the %s of its body',
    (name) => {
      expect(messageOf(viewOf({ message: 'no', data: { [name]: 'sold out' } }))).toBe('sold out');
    },
  );

  it('its most telling part is its own message where the body has none', () => {
    expect(messageOf(viewOf({ message: 'no', data: { message: '' } }))).toBe('no');
    expect(messageOf(viewOf({ data: { status: 5 } }))).toBeUndefined();
  });
});
