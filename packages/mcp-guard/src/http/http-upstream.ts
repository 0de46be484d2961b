import { type Clock, onAbort, provesUnsent, saysSessionLost } from '@holdfast/call-guard';
import { onOneLine } from '../message/json-text.js';
import { type Message, type MessageId, memberText, readMessages } from '../message/message.js';
import {
  type Outgoing,
  type Upstream,
  type UpstreamEvents,
  UpstreamLost,
  type When,
} from '../proxy/upstream.js';
import { type AnswerReader, RETRY_MS, readAnswerStream } from './answer-stream.js';
import { type HttpAnswer, headerText, messageText, otherText } from './http-answer.js';
import type { HttpChannel } from './http-channel.js';
import { endedWithout, HttpRefusal } from './http-refusal.js';
import { StandingStream } from './standing-stream.js';

/** For how long the first requests wait for the server's own stream, in milliseconds. */
const STREAM_PATIENCE_MS = 300;

/** What a server is given to hear that a session ends, in milliseconds. */
const FAREWELL_MS = 1_000;

export interface HttpUpstreamOptions {
  readonly channel: HttpChannel;
  /** For every request, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Pick<Clock, 'alarm' | 'sleep'>;
}

/** A session as the server knows it. */
interface ServerSession {
  readonly id: string | undefined;
  version: string | undefined;
  /** The server has forgotten it, or will not take it up. */
  isLost: boolean;
}

/**
 * A server that is spoken to by streamable HTTP (protocol versions 2025-03-26 to 2025-11-25). Each message is
 * a POST. A server that has forgotten the session is introduced to the host anew, and hears again what it
 * did not look at.
 */
export class HttpUpstream implements Upstream {
  readonly carriesHeaders = true;
  readonly leavesProcess = true;
  #session: ServerSession = { id: undefined, version: undefined, isLost: false };
  /** Requests that are not answered yet: what ends the wait for each. */
  readonly #open = new Map<MessageId, AbortController>();
  /** What waits its turn; undefined where nothing has to. */
  #waiting: Outgoing[] | undefined;
  #introduced: Promise<void> = Promise.resolve();
  #renewal: Promise<void> | undefined;
  #standing: StandingStream | undefined;
  /** Resolves when streams may be read again; undefined while they may be. */
  #held: Promise<void> | undefined;
  #goOn: (() => void) | undefined;
  /** Notifications and answers of the host that are on their way. */
  readonly #notices = new Set<Promise<void>>();
  readonly #life = new AbortController();

  constructor(
    private readonly options: HttpUpstreamOptions,
    private readonly events: UpstreamEvents,
  ) {}

  send(message: Outgoing, when: When): void {
    if (message.method === 'notifications/initialized') {
      this.#introduced = this.#beginWith(message);
    } else if (when === 'in-turn' && this.#waiting !== undefined) {
      this.#waiting.push(message);
    } else {
      this.#go(message);
    }
  }

  ready(): Promise<void> | undefined {
    return this.#renewal;
  }

  /** The protocol's cancellation has gone its own way: closing a stream alone says nothing to a server. */
  giveUp(id: MessageId): void {
    this.#waiting = this.#waiting?.filter((message) => message.id !== id);
    this.#open.get(id)?.abort();
  }

  hold(isHeld: boolean): void {
    this.#goOn?.();
    this.#goOn = undefined;
    this.#held = isHeld
      ? new Promise((resolve) => {
          this.#goOn = resolve;
        })
      : undefined;
  }

  async close(): Promise<void> {
    this.hold(false);
    this.#waiting = undefined;
    this.#standing?.close();
    for (const controller of this.#open.values()) controller.abort();
    const stop = this.options.clock.alarm(FAREWELL_MS, true, () => this.#life.abort());
    await Promise.all([...this.#notices]);
    await this.#sayFarewell();
    stop();
    this.#life.abort();
    await this.options.channel.close();
  }

  /** Tells the server that it need not keep the session; it may know no such request. */
  async #sayFarewell(): Promise<void> {
    const { id, isLost } = this.#session;
    if (id === undefined || isLost) return;
    const headers = { ...this.options.headers, ...this.#sessionHeaders() };
    const { signal } = this.#life;
    try {
      await otherText(await this.options.channel.request({ method: 'DELETE', headers, signal }));
    } catch {
      // It is gone, or takes too long: nobody has a use for the session any more.
    }
  }

  #go(message: Outgoing): void {
    const delivered = this.#deliver(message);
    if (message.id !== undefined) return;
    this.#notices.add(delivered);
    void delivered.finally(() => this.#notices.delete(delivered));
  }

  /** The server has to have heard it before anything else, and to have a stream for what it says itself. */
  async #beginWith(initialized: Outgoing): Promise<void> {
    this.#waiting ??= [];
    await this.#deliver(initialized);
    this.#standing?.close();
    if (this.#life.signal.aborted) return;
    const held = () => this.#held;
    const { onMessage } = this.events;
    this.#standing = new StandingStream({
      request: (lastEventId, signal) => this.#get(lastEventId, signal),
      async onMessage(text) {
        await held();
        onMessage({ line: onOneLine(text) });
      },
      clock: this.options.clock,
      retryMs: RETRY_MS,
    });
    const patience = new AbortController();
    await Promise.race([
      this.#standing.opened.finally(() => patience.abort()),
      this.options.clock.sleep(STREAM_PATIENCE_MS, patience.signal).catch(() => {}),
    ]);
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.#go(message);
  }

  /** Resolves when the server has taken it, and all that it says to it was heard. */
  async #deliver(message: Outgoing): Promise<void> {
    const controller = new AbortController();
    const letGo = onAbort(this.#life.signal, () => controller.abort());
    if (message.id !== undefined) this.#open.set(message.id, controller);
    try {
      const isAnswered = await this.#exchange(message, controller);
      if (!isAnswered) throw endedWithout('the server took the request and did not answer it');
    } catch (error) {
      this.#failed(message, error, controller.signal);
    } finally {
      letGo();
      if (message.id !== undefined) this.#open.delete(message.id);
    }
  }

  #failed({ id, method }: Outgoing, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    const known =
      provesUnsent(error) && error instanceof Error
        ? new UpstreamLost(false, error.message, { cause: error })
        : error;
    if (id !== undefined) this.events.onUnanswered(id, known);
    else this.events.onPrinted(`the server did not take ${method ?? 'a response'}: ${known}\n`);
  }

  /** Makes the request of a message, once more where the server did not know the session. */
  async #exchange(message: Outgoing, controller: AbortController): Promise<boolean> {
    const isRequest = message.id !== undefined && message.method !== 'initialize';
    if (isRequest && this.#session.isLost) await this.#renew(this.#session);
    for (let isAgain = false; ; isAgain = true) {
      const session = this.#session;
      const answer = await this.#post(message, controller.signal);
      const { status } = answer;
      if (status >= 200 && status < 300) return this.#take(message, answer, controller);
      const text = await otherText(answer);
      const isForgotten =
        isRequest &&
        ((status === 404 && session.id !== undefined) || (status === 400 && saysSessionLost(text)));
      if (!isForgotten || isAgain) {
        // A server may say no in the protocol's words, with a status beside.
        const { id } = message;
        const said = id === undefined ? undefined : answerIn(readMessages(text), id);
        if (said === undefined) throw new HttpRefusal(status, answer.headers, text);
        this.#hear(text, message);
        return true;
      }
      await this.#renew(session);
    }
  }

  /** Begins a new session instead of this one; for all that had it, once. */
  #renew(session: ServerSession): Promise<void> {
    if (this.#renewal !== undefined) return this.#renewal;
    if (session !== this.#session) return Promise.resolve();
    const renewal = this.#beginAnew(session).finally(() => {
      this.#renewal = undefined;
    });
    this.#renewal = renewal;
    return renewal;
  }

  async #beginAnew(session: ServerSession): Promise<void> {
    session.isLost = true;
    this.#waiting ??= [];
    this.#standing?.close();
    try {
      await this.events.onRestarted();
      await this.#introduced;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new UpstreamLost(false, `the server forgot the session, and: ${why}`, { cause: error });
    } finally {
      this.#release();
    }
  }

  #post({ text, method, headers }: Outgoing, signal: AbortSignal): Promise<HttpAnswer> {
    return this.options.channel.request({
      method: 'POST',
      body: text,
      signal,
      headers: {
        ...headers,
        ...this.options.headers,
        ...(method === 'initialize' ? {} : this.#sessionHeaders()),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
  }

  #get(lastEventId: string | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    return this.options.channel.request({
      method: 'GET',
      signal,
      headers: {
        ...this.options.headers,
        ...this.#sessionHeaders(),
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
  }

  #sessionHeaders(): Readonly<Record<string, string>> {
    const { id, version } = this.#session;
    return {
      ...(id === undefined ? {} : { 'mcp-session-id': id }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    };
  }

  /** Whether all that was asked is answered. */
  async #take(
    message: Outgoing,
    answer: HttpAnswer,
    controller: AbortController,
  ): Promise<boolean> {
    const { id, method } = message;
    if (method === 'initialize') {
      const session = headerText(answer, 'mcp-session-id');
      this.#session = { id: session, version: undefined, isLost: false };
    }
    const type = headerText(answer, 'content-type')?.toLowerCase() ?? '';
    if (id === undefined || answer.status === 202 || answer.status === 204) {
      await otherText(answer);
      return id === undefined;
    }
    if (type.startsWith('text/event-stream')) {
      await readAnswerStream(answer, this.#readerFor(message), controller);
      return true;
    }
    if (!type.startsWith('application/json')) {
      const text = await otherText(answer);
      throw new Error(`the answer is ${type || 'of no type'}, not JSON: ${text.slice(0, 200)}`);
    }
    const line = await messageText(answer);
    if (typeof line === 'number') {
      this.#hearOversized(line, message);
      return true;
    }
    return this.#hear(line, message);
  }

  #readerFor(message: Outgoing): AnswerReader {
    return {
      hear: (text) => this.#hear(text, message),
      hearOversized: (bytes) => this.#hearOversized(bytes, message),
      resume: (lastEventId, signal) => this.#get(lastEventId, signal),
      held: () => this.#held,
      clock: this.options.clock,
    };
  }

  #hearOversized(bytes: number, { id }: Outgoing): void {
    this.events.onMessage({ oversized: { bytes, head: '', tail: '' } }, id);
  }

  /** Gives on what a server said on the stream of a request. Whether it answers it. */
  #hear(text: string, { id, method }: Outgoing): boolean {
    const messages = this.events.onMessage({ line: onOneLine(text) }, id);
    const answer = id === undefined ? undefined : answerIn(messages, id);
    if (answer !== undefined && method === 'initialize') {
      const version = memberText(answer.text, 'result', 'protocolVersion');
      const text: unknown = version === undefined ? undefined : JSON.parse(version);
      this.#session.version = typeof text === 'string' ? text : undefined;
    }
    return answer !== undefined;
  }
}

function answerIn(messages: readonly Message[], id: MessageId): Message | undefined {
  return messages.find((message) => message.is === 'response' && message.id === id);
}
