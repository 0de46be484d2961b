import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { createGuard } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { type Message, type MessageId, readMessages } from '../message/message.js';
import { silentServer } from '../proxy/played-session.fixture.js';
import type { UpstreamEvents } from '../proxy/upstream.js';
import { FrontSession } from './front-session.js';

/** The answer to a request of HTTP, as far as a stream of events uses it. */
class FakeResponse extends Writable {
  text = '';
  headersSent = false;

  writeHead(): this {
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }

  /** The events that came: their ids, and data where there is some. */
  get events(): readonly { readonly id: string; readonly data: string }[] {
    return [...this.text.matchAll(/^id: (.*)\ndata: (.*)$/gm)].map(([, id = '', data = '']) => ({
      id,
      data,
    }));
  }

  get ids(): readonly unknown[] {
    return this.events.map(({ data }) => (data === '' ? '' : JSON.parse(data).id));
  }
}

/** A session whose host and server are the test. */
function setting() {
  const clock = manualClock();
  let upstream: UpstreamEvents | undefined;
  let isOver = false;
  const session = new FrontSession({
    id: 's1',
    guard: createGuard({
      registry: defineRegistry({ name: 'none', tools: [], resourceGroups: {} }),
      ledger: memoryLedger({ now: clock.wallMs }),
      clock,
    }),
    server: 'desk',
    log: () => {},
    onOver: () => {
      isOver = true;
    },
    connect(events) {
      upstream = events;
      return silentServer;
    },
  });
  const response = () => new FakeResponse() as FakeResponse & ServerResponse;
  const says = (message: object) =>
    upstream?.onMessage({ line: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  return {
    clock,
    session,
    response,
    /** The host makes requests of these ids with one POST. */
    post(ids: readonly MessageId[], canResume = true) {
      const answer = response();
      session.answerOn(answer, ids.map(request), canResume);
      return answer;
    },
    answers: (id: MessageId) => says({ id, result: {} }),
    says,
    upstream: () => upstream,
    isOver: () => isOver,
    settled: () => clock.advance(0),
  };
}

function request(id: MessageId): Message {
  const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'prompts/list' });
  return readMessages(text)[0] ?? expect.unreachable();
}

const listChanged = { method: 'notifications/tools/list_changed' };

describe('an answer', () => {
  it('that comes soon is all there is on its stream', async () => {
    const { post, answers, settled, clock } = setting();
    const answer = post([1]);
    answers(1);
    await settled();
    expect(answer.ids).toEqual([1]);
    expect(answer.writableFinished).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  it('that takes longer than 50 ms has a stream that can be taken up again, where hosts know how', async () => {
    const { post, clock } = setting();
    const answer = post([1]);
    const older = post([2], false);
    await clock.advance(49);
    expect([answer.headersSent, older.headersSent]).toEqual([false, false]);
    await clock.advance(1);
    expect([answer.headersSent, older.headersSent]).toEqual([true, true]);
    expect([answer.ids, older.ids]).toEqual([[''], []]);
  });

  it('of several requests ends the stream with the last', async () => {
    const { post, answers, settled } = setting();
    const answer = post([1, '1']);
    answers('1');
    await settled();
    expect(answer.writableFinished).toBe(false);
    answers(1);
    await settled();
    expect(answer.ids).toEqual(['1', 1]);
    expect(answer.writableFinished).toBe(true);
  });

  it('is kept for a host that went away, and given where it comes back', async () => {
    const { post, answers, settled, clock, session, response, says } = setting();
    const answer = post([1]);
    post([2]);
    await clock.advance(50);
    const [primed] = answer.events;
    answer.destroy();
    await settled();
    const progress = { method: 'notifications/progress', params: { progressToken: 'none' } };
    says(progress);
    const back = response();
    expect(session.resumeOn(back, primed?.id ?? '')).toBe(true);
    answers(1);
    await settled();
    expect(back.ids).toEqual([1]);
    expect(back.writableFinished).toBe(true);
    const later = response();
    session.resumeOn(later, primed?.id ?? '');
    await settled();
    expect(later.ids).toEqual([1]);
    expect(later.writableFinished).toBe(true);
    expect(session.resumeOn(response(), 'no-such-event')).toBe(false);
  });
});

describe('what no request caused', () => {
  it('goes to the stream that is open for it', async () => {
    const { session, response, says, settled } = setting();
    const stream = response();
    session.listenOn(stream);
    says(listChanged);
    await settled();
    expect(stream.events).toHaveLength(1);
  });

  it('waits for one where nothing is open, the last 256', async () => {
    const { session, response, says, settled } = setting();
    for (let at = 0; at < 300; at += 1) says({ ...listChanged, params: { at } });
    const stream = response();
    session.listenOn(stream);
    await settled();
    expect(stream.events).toHaveLength(256);
    expect(stream.events[0]?.data).toContain('"at":44');
  });

  it('goes to a host that waits for something else, rather than to nobody', async () => {
    const { post, says, settled } = setting();
    const [first, second] = [post([1]), post([2])];
    says({ id: 0, method: 'sampling/createMessage' });
    await settled();
    expect([first?.ids, second?.ids]).toEqual([[], [0]]);
  });

  it('goes on behind the last event on a stream that is taken up again', async () => {
    const { session, response, says, settled } = setting();
    const stream = response();
    session.listenOn(stream);
    says(listChanged);
    await settled();
    stream.destroy();
    await settled();
    says({ ...listChanged, params: { at: 2 } });
    const back = response();
    session.resumeOn(back, stream.events[0]?.id ?? '');
    says({ ...listChanged, params: { at: 3 } });
    await settled();
    expect(back.events.map(({ data }) => JSON.parse(data).params.at)).toEqual([2, 3]);
  });
});

describe('a session', () => {
  it('is idle while nothing is open', async () => {
    const { session, post, answers, clock, response, settled } = setting();
    await clock.advance(1_000);
    expect(session.idleMs()).toBe(1_000);
    post([1]);
    await clock.advance(1_000);
    expect(session.idleMs()).toBe(0);
    answers(1);
    await clock.advance(500);
    expect(session.idleMs()).toBe(500);
    const stream = response();
    session.listenOn(stream);
    await clock.advance(500);
    expect(session.idleMs()).toBe(0);
    stream.destroy();
    await settled();
    expect(session.idleMs()).toBe(500);
  });

  it('MCP-20: keeps its streams alive with what means nothing', async () => {
    const { session, post, response, settled } = setting();
    const [answer, stream] = [post([1]), response()];
    session.listenOn(stream);
    session.keepAlive();
    await settled();
    expect([answer.text, stream.text]).toEqual([': keepalive\n\n', ': keepalive\n\n']);
  });

  it('is over where the server never came to work, after it has said so', async () => {
    const { post, upstream, isOver, settled } = setting();
    const answer = post(['i']);
    upstream()?.onLost('the server ended with exit code 7');
    await settled();
    expect(answer.text).toContain('exit code 7');
    expect(isOver()).toBe(true);
  });

  it('ends with its streams', async () => {
    const { session, post, response, settled, clock } = setting();
    const [answer, stream] = [post([1]), response()];
    session.listenOn(stream);
    await session.end();
    await settled();
    expect([answer.writableFinished, stream.writableFinished]).toEqual([true, true]);
    expect(clock.pending()).toBe(0);
  });
});

it('a host that leaves too much unread loses the stream', async () => {
  const { session, says, response, settled } = setting();
  const stream = response();
  // Nothing of it is ever read.
  stream._write = () => {};
  session.listenOn(stream);
  const params = { text: 'x'.repeat(1024 * 1024) };
  for (let at = 0; at < 16; at += 1) says({ ...listChanged, params });
  expect(stream.destroyed).toBe(false);
  says({ ...listChanged, params });
  await settled();
  expect(stream.destroyed).toBe(true);
});
