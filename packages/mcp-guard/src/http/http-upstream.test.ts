import { PassThrough } from 'node:stream';
import { onAbort } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { describe, expect, it } from 'vitest';
import type { Framed } from '../message/line-framer.js';
import { type MessageId, readMessages } from '../message/message.js';
import { UpstreamLost } from '../proxy/upstream.js';
import type { HttpAnswer } from './http-answer.js';
import type { HttpRequest } from './http-channel.js';
import { HttpUpstream } from './http-upstream.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const SSE = { 'content-type': 'text/event-stream' };

/** A body that the test writes to, as a connection does. */
function body(text?: string): PassThrough {
  const stream = new PassThrough();
  if (text !== undefined) stream.end(text);
  return stream;
}

function answer(status: number, text = '', headers: HttpAnswer['headers'] = JSON_TYPE): HttpAnswer {
  return { status, headers, body: body(text) };
}

const event = (message: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
const result = (id: MessageId, value: object = {}) => ({ jsonrpc: '2.0', id, result: value });

interface Asked extends HttpRequest {
  readonly message: { readonly id?: MessageId; readonly method?: string };
  reply(given: HttpAnswer): void;
  fail(error: Error): void;
}

/** An upstream whose server is the test. */
function setting() {
  const clock = manualClock();
  const asked: Asked[] = [];
  const heard: { readonly framed: Framed; readonly relatedTo: MessageId | undefined }[] = [];
  const unanswered: { readonly id: MessageId; readonly error: unknown }[] = [];
  const printed: string[] = [];
  let restarts = 0;
  /** Whether somebody has introduced himself, and does so again. */
  const begun = { wants: true };
  const upstream: HttpUpstream = new HttpUpstream(
    {
      clock,
      headers: { authorization: 'Bearer t' },
      channel: {
        request: (request) =>
          new Promise((resolve, reject) => {
            const { signal } = request;
            onAbort(signal, () => reject(signal.reason));
            const message = request.body === undefined ? {} : JSON.parse(request.body);
            asked.push({
              ...request,
              message,
              fail: reject,
              reply(given) {
                const { body: stream } = given;
                if (stream instanceof PassThrough) {
                  onAbort(signal, () => stream.destroy(new Error('aborted')));
                }
                resolve(given);
              },
            });
          }),
        close: async () => {},
      },
    },
    {
      onMessage(framed, relatedTo) {
        heard.push({ framed, relatedTo });
        return 'line' in framed ? readMessages(framed.line) : [];
      },
      onUnanswered: (id, error) => unanswered.push({ id, error }),
      onLost: () => {},
      async onRestarted() {
        if (!begun.wants) return;
        restarts += 1;
        const id = `own/${restarts}`;
        send({ id, method: 'initialize' }, 'at-once');
        await until(() => heard.some(({ relatedTo }) => relatedTo === id) || isUnanswered(id));
        if (isUnanswered(id)) throw new Error('it does not begin');
        send({ method: 'notifications/initialized' }, 'at-once');
      },
      onPrinted: (text) => printed.push(text),
    },
  );
  const isUnanswered = (id: MessageId) => unanswered.some((one) => one.id === id);
  const send = (
    message: { readonly id?: MessageId; readonly method?: string },
    when: 'in-turn' | 'at-once' = 'in-turn',
  ) => upstream.send({ text: JSON.stringify({ jsonrpc: '2.0', ...message }), ...message }, when);
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await clock.advance(0);
  };
  const settled = async () => {
    for (let turn = 0; turn < 5; turn += 1) await clock.advance(0);
  };
  const nth = async (index: number): Promise<Asked> => {
    await until(() => asked.length > index);
    return asked[index] ?? expect.unreachable();
  };
  /** Introduces the host; the server gives the session a name and refuses a stream of its own. */
  const begin = async (session = 's1') => {
    send({ id: 'i', method: 'initialize' });
    const from = asked.length - 1;
    const text = JSON.stringify(result('i', { protocolVersion: '2025-06-18' }));
    (await nth(from)).reply(answer(200, text, { ...JSON_TYPE, 'mcp-session-id': session }));
    await settled();
    send({ method: 'notifications/initialized' });
    (await nth(from + 1)).reply(answer(202));
    (await nth(from + 2)).reply(answer(405));
    await settled();
    asked.length = 0;
    heard.length = 0;
  };
  return {
    begun,
    upstream,
    clock,
    asked,
    heard,
    unanswered,
    printed,
    send,
    settled,
    nth,
    begin,
    until,
  };
}

const lines = (heard: ReturnType<typeof setting>['heard']) =>
  heard.map(({ framed }) => ('line' in framed ? framed.line : framed));

describe('the beginning', () => {
  it('has the name of the session and the version of the protocol in every later request', async () => {
    const { begin, send, asked } = setting();
    await begin('abc');
    send({ id: 1, method: 'tools/list' });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      headers: {
        authorization: 'Bearer t',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-session-id': 'abc',
        'mcp-protocol-version': '2025-06-18',
      },
    });
  });

  it('MCP-72: is over when the server has taken it and given its stream; later requests wait for that', async () => {
    const { send, asked, nth, settled, heard } = setting();
    send({ id: 'i', method: 'initialize' });
    (await nth(0)).reply(answer(200, JSON.stringify(result('i')), JSON_TYPE));
    await settled();
    send({ method: 'notifications/initialized' });
    send({ id: 1, method: 'tools/list' });
    await settled();
    expect(asked.map(({ message }) => message.method)).toEqual([
      'initialize',
      'notifications/initialized',
    ]);
    (await nth(1)).reply(answer(202));
    const stream = body();
    const get = await nth(2);
    expect([get.method, get.headers.accept]).toEqual(['GET', 'text/event-stream']);
    expect(asked).toHaveLength(3);
    get.reply({ status: 200, headers: SSE, body: stream });
    expect((await nth(3)).message.method).toBe('tools/list');
    stream.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
    await settled();
    expect(heard.at(-1)?.relatedTo).toBeUndefined();
    expect(lines(heard).at(-1)).toContain('list_changed');
  });

  it('waits for a server that does not answer for its stream no longer than 300 ms', async () => {
    const { send, asked, nth, settled, clock } = setting();
    send({ method: 'notifications/initialized' });
    send({ id: 1, method: 'tools/list' });
    (await nth(0)).reply(answer(202));
    await nth(1);
    await settled();
    await clock.advance(299);
    expect(asked).toHaveLength(2);
    await clock.advance(1);
    expect((await nth(2)).message.method).toBe('tools/list');
  });

  it("opens the server's stream anew behind the last event, and not where there is none", async () => {
    const { send, asked, nth, settled, clock } = setting();
    send({ method: 'notifications/initialized' });
    (await nth(0)).reply(answer(202));
    const stream = body('retry: 20\nid: e7\ndata: \n\n');
    (await nth(1)).reply({ status: 200, headers: SSE, body: stream });
    await settled();
    await clock.advance(20);
    const again = await nth(2);
    expect(again.headers['last-event-id']).toBe('e7');
    again.fail(new Error('reset'));
    await settled();
    await clock.advance(40);
    (await nth(3)).reply(answer(405));
    await settled();
    await clock.advance(600_000);
    expect(asked).toHaveLength(4);
  });
});

describe('an answer', () => {
  it('is kept as it was written, in one piece or as an event, with what came before it on its stream', async () => {
    const { begin, send, nth, settled, heard } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    send({ id: 'b', method: 'b' });
    const exact = '{ "jsonrpc":"2.0","id":1,"result":{"n":1.0e+2} }';
    (await nth(0)).reply(answer(200, exact));
    await settled();
    const before = '{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage"}';
    const text = `: hi\n\ndata: ${before}\n\n${event(result('b'))}`;
    (await nth(1)).reply(answer(200, text, SSE));
    await settled();
    expect(heard).toEqual([
      { framed: { line: exact }, relatedTo: 1 },
      { framed: { line: before }, relatedTo: 'b' },
      { framed: { line: JSON.stringify(result('b')) }, relatedTo: 'b' },
    ]);
  });

  it('is left on its stream for as long as the host does not read', async () => {
    const { begin, send, nth, settled, upstream, heard } = setting();
    await begin();
    upstream.hold(true);
    send({ id: 1, method: 'a' });
    (await nth(0)).reply(answer(200, event(result(1)), SSE));
    await settled();
    expect(heard).toEqual([]);
    upstream.hold(false);
    await settled();
    expect(lines(heard)).toEqual([JSON.stringify(result(1))]);
  });

  it('of the protocol counts, whatever the status beside it', async () => {
    const { begin, send, nth, settled, heard, unanswered } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    const text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}';
    (await nth(0)).reply(answer(400, text));
    await settled();
    expect(lines(heard)).toEqual([text]);
    expect(unanswered).toEqual([]);
  });

  it('MCP-57: that is longer than a message may be is told by its length', async () => {
    const { begin, send, nth, heard, until } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    const stream = body();
    (await nth(0)).reply({ status: 200, headers: JSON_TYPE, body: stream });
    const part = Buffer.alloc(8 * 1024 * 1024, 'x');
    for (let at = 0; at < 9; at += 1) stream.write(part);
    await until(() => heard.length > 0);
    expect(heard).toEqual([
      { framed: { oversized: { bytes: 9 * part.length, head: '', tail: '' } }, relatedTo: 1 },
    ]);
  });

  it.each([
    ['a page', answer(200, '<html>', { 'content-type': 'text/html' }), 'text/html'],
    ['nothing', answer(202), 'did not answer'],
    ['what is cut off', answer(200, '{"jsonrpc":"2.0","id":1,"res'), 'did not answer'],
  ])('that is %s is none', async (_, given, says) => {
    const { begin, send, nth, settled, unanswered } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    (await nth(0)).reply(given);
    await settled();
    expect(unanswered.map(({ id, error }) => [id, String(error)])).toEqual([
      [1, expect.stringContaining(says)],
    ]);
  });
});

describe('a request that fails', () => {
  it('is known to be unsent where nobody listens, and else not', async () => {
    const { begin, send, nth, settled, unanswered } = setting();
    await begin();
    const fail = async (index: number, code: string) => {
      send({ id: index, method: 'a' });
      (await nth(index)).fail(Object.assign(new Error(`connect ${code}`), { code }));
      await settled();
      return unanswered.at(-1)?.error;
    };
    expect(await fail(0, 'ECONNREFUSED')).toBeInstanceOf(UpstreamLost);
    expect(await fail(1, 'ECONNRESET')).toMatchObject({ code: 'ECONNRESET' });
  });

  it('MCP-65: says what the server said: status, headers, text', async () => {
    const { begin, send, nth, settled, unanswered } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    (await nth(0)).reply(answer(429, 'slow down', { 'retry-after': '7' }));
    await settled();
    expect(unanswered[0]?.error).toMatchObject({
      name: 'StreamableHTTPError',
      status: 429,
      headers: { 'retry-after': '7' },
      body: 'slow down',
    });
  });

  it('that is a notification is told beside the messages', async () => {
    const { begin, send, nth, settled, printed } = setting();
    await begin();
    send({ method: 'notifications/roots/list_changed' });
    (await nth(0)).reply(answer(500, 'oops'));
    await settled();
    expect(printed.join()).toContain('notifications/roots/list_changed: ');
  });
});

describe('MCP-21: the stream of an answer that ends too early', () => {
  it('is lost at once where its events have no ids', async () => {
    const { begin, send, nth, settled, unanswered, clock } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    (await nth(0)).reply(answer(200, ': keepalive\n\n', SSE));
    await settled();
    expect(unanswered).toMatchObject([{ id: 1, error: { code: 'ERR_STREAM_PREMATURE_CLOSE' } }]);
    expect(clock.pending()).toBe(0);
  });

  it('is asked for its rest where they have, when the server says, and as often as it takes', async () => {
    const { begin, send, nth, settled, clock, asked, heard, unanswered } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    (await nth(0)).reply(answer(200, 'retry: 30\nid: e1\ndata: \n\n', SSE));
    for (let round = 1; round <= 5; round += 1) {
      await settled();
      await clock.advance(29);
      expect(asked).toHaveLength(round);
      await clock.advance(1);
      const get = await nth(round);
      expect([get.method, get.headers['last-event-id']]).toEqual(['GET', `e${round}`]);
      get.reply(answer(200, `id: e${round + 1}\ndata: \n\n`, SSE));
    }
    await settled();
    await clock.advance(30);
    (await nth(6)).reply(answer(200, event(result(1), 'e9'), SSE));
    await settled();
    expect(lines(heard)).toEqual([JSON.stringify(result(1))]);
    expect(heard[0]?.relatedTo).toBe(1);
    expect(unanswered).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it('is lost when its rest is refused three times', async () => {
    const { begin, send, nth, settled, clock, asked, unanswered } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    (await nth(0)).reply(answer(200, 'id: e1\ndata: \n\n', SSE));
    for (let round = 1; round <= 3; round += 1) {
      await settled();
      await clock.advance(1_000);
      (await nth(round)).reply(answer(404));
    }
    await settled();
    await clock.advance(60_000);
    expect(asked).toHaveLength(4);
    expect(unanswered).toMatchObject([{ id: 1, error: { code: 'ERR_STREAM_PREMATURE_CLOSE' } }]);
  });
});

describe('MCP-24: a server that has forgotten the session', () => {
  const forgotten = () => answer(404, '{"jsonrpc":"2.0","error":{"message":"Session not found"}}');

  it('is introduced anew once, and hears again what it did not look at', async () => {
    const { begin, send, nth, settled, asked, heard, unanswered } = setting();
    await begin('s1');
    send({ id: 1, method: 'tools/call' });
    send({ id: 2, method: 'tools/call' });
    (await nth(0)).reply(forgotten());
    (await nth(1)).reply(forgotten());
    const initialize = await nth(2);
    expect(initialize.message.method).toBe('initialize');
    expect(initialize.headers).not.toHaveProperty('mcp-session-id');
    send({ id: 3, method: 'tools/list' });
    const begun = JSON.stringify(result('own/1', { protocolVersion: '2025-06-18' }));
    initialize.reply(answer(200, begun, { ...JSON_TYPE, 'mcp-session-id': 's2' }));
    (await nth(3)).reply(answer(202));
    (await nth(4)).reply(answer(405));
    await nth(7);
    await settled();
    expect(
      asked.slice(3).map(({ message, headers }) => [message.id, headers['mcp-session-id']]),
    ).toEqual([
      [undefined, 's2'],
      [undefined, 's2'],
      [3, 's2'],
      [1, 's2'],
      [2, 's2'],
    ]);
    for (const one of asked.slice(5)) {
      one.reply(answer(200, JSON.stringify(result(one.message.id ?? 0))));
    }
    await settled();
    expect(heard.slice(1).map(({ relatedTo }) => relatedTo)).toEqual([3, 1, 2]);
    expect(unanswered).toEqual([]);
  });

  it('and forgets it again is not asked a third time', async () => {
    const { begin, send, nth, settled, asked, unanswered } = setting();
    await begin('s1');
    send({ id: 1, method: 'tools/call' });
    (await nth(0)).reply(forgotten());
    (await nth(1)).reply(answer(200, JSON.stringify(result('own/1')), JSON_TYPE));
    (await nth(2)).reply(answer(202));
    (await nth(3)).reply(answer(405));
    (await nth(4)).reply(answer(400, 'Bad Request: Server not initialized'));
    await settled();
    expect(asked).toHaveLength(5);
    expect(unanswered).toMatchObject([{ id: 1, error: { status: 400 } }]);
  });

  it('and cannot be begun with anew has done nothing; the next request tries once more', async () => {
    const { begin, send, nth, settled, unanswered } = setting();
    await begin('s1');
    send({ id: 1, method: 'tools/call' });
    (await nth(0)).reply(forgotten());
    (await nth(1)).reply(answer(503));
    await settled();
    expect(unanswered.find(({ id }) => id === 1)?.error).toMatchObject({ sent: false });
    send({ id: 2, method: 'tools/call' });
    expect((await nth(2)).message.method).toBe('initialize');
  });

  it('is asked as it is where nobody has begun with it', async () => {
    const { send, nth, settled, asked, begun } = setting();
    begun.wants = false;
    send({ id: 1, method: 'tools/list' });
    (await nth(0)).reply(answer(400, 'Bad Request: No valid session ID'));
    (await nth(1)).reply(answer(400, 'Bad Request: No valid session ID'));
    await settled();
    send({ id: 2, method: 'tools/list' });
    await nth(2);
    expect(asked.map(({ message }) => message.id)).toEqual([1, 1, 2]);
  });

  it('is not begun with anew for a notification', async () => {
    const { begin, send, nth, settled, asked } = setting();
    await begin('s1');
    send({ method: 'notifications/cancelled' });
    (await nth(0)).reply(forgotten());
    await settled();
    expect(asked).toHaveLength(1);
  });
});

describe('a request that nobody waits for', () => {
  it('has its stream closed, and is no failure', async () => {
    const { begin, send, nth, settled, upstream, unanswered } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    const stream = body();
    (await nth(0)).reply({ status: 200, headers: SSE, body: stream });
    await settled();
    upstream.giveUp(1);
    await settled();
    expect(stream.destroyed).toBe(true);
    expect(unanswered).toEqual([]);
  });

  it('MCP-68: is not sent where it still waits for its turn', async () => {
    const { send, nth, settled, upstream, asked } = setting();
    send({ method: 'notifications/initialized' });
    send({ id: 1, method: 'a' });
    upstream.giveUp(1);
    (await nth(0)).reply(answer(202));
    (await nth(1)).reply(answer(405));
    await settled();
    expect(asked).toHaveLength(2);
  });

  it('is left after its answer, although the server does not end the stream', async () => {
    const { begin, send, nth, settled, clock } = setting();
    await begin();
    send({ id: 1, method: 'a' });
    const stream = body();
    (await nth(0)).reply({ status: 200, headers: SSE, body: stream });
    stream.write(event(result(1)));
    await settled();
    expect(stream.destroyed).toBe(false);
    await clock.advance(1_000);
    await settled();
    expect(stream.destroyed).toBe(true);
  });
});

describe('the end', () => {
  it('tells the server, after what is on its way to it, and leaves no clock running', async () => {
    const { begin, send, nth, settled, upstream, asked, clock } = setting();
    await begin('s1');
    send({ method: 'notifications/cancelled' });
    const closed = upstream.close();
    await settled();
    expect(asked).toHaveLength(1);
    (await nth(0)).reply(answer(202));
    const farewell = await nth(1);
    expect([farewell.method, farewell.headers['mcp-session-id']]).toEqual(['DELETE', 's1']);
    farewell.reply(answer(200));
    await closed;
    expect(clock.pending()).toBe(0);
  });

  it('does not wait for a server that does not hear it', async () => {
    const { begin, nth, upstream, clock } = setting();
    await begin('s1');
    const closed = upstream.close();
    await nth(0);
    await clock.advance(1_000);
    await closed;
    expect(clock.pending()).toBe(0);
  });
});
