import type { ServerResponse } from 'node:http';
import { type Message, type MessageId, readMessages } from '../message/message.js';
import type { Front } from '../proxy/front.js';
import { GuardedSession, type SessionOptions } from '../proxy/session.js';
import { EventWriter } from './event-writer.js';
import { type LoggedEvent, ReplayLog } from './replay-log.js';

/** For how long a POST waits for its answer before its stream begins without it, in milliseconds. */
const BEGIN_MS = 50;

/** What is kept for a host that has no stream open, in messages. */
const MOST_UNHEARD = 256;

/** The stream of what no request caused. */
const STANDING = 'standing';

export interface FrontSessionOptions extends Omit<SessionOptions, 'front'> {
  readonly id: string;
  log(text: string): void;
  /** It is over before it began: there is no server, or it refused to begin. */
  onOver(): void;
}

/** The answers to one POST. A host that goes away leaves it open: that is no cancellation. */
interface PostStream {
  readonly name: string;
  /** Requests of the POST that have no answer yet. */
  readonly open: Set<string>;
  writer: EventWriter | undefined;
}

/** One session of a host over HTTP: which message goes out on which of its streams. */
export class FrontSession implements Front {
  readonly id: string;
  /** Whether the server does not read what it is given. */
  isHeld = false;
  readonly #session: GuardedSession;
  readonly #log = new ReplayLog();
  /** By the requests that are open. */
  readonly #posts = new Map<string, PostStream>();
  #standing: EventWriter | undefined;
  /** What no stream was there for. */
  #unheard: LoggedEvent[] = [];
  /** The request that begins the session, until it is answered. */
  #beginning: string | undefined;
  #made = 0;
  #usedAtMs: number;

  constructor(private readonly options: FrontSessionOptions) {
    this.id = options.id;
    this.#usedAtMs = this.#nowMs();
    this.#session = new GuardedSession({ ...options, front: this });
  }

  /** For how long nobody has used it, in milliseconds. */
  idleMs(): number {
    const isUsed = this.#posts.size > 0 || this.#standing?.isOpen === true;
    return isUsed ? 0 : this.#nowMs() - this.#usedAtMs;
  }

  /** Whether a request of this POST has the id of one that is open, or of another one beside it. */
  hasOpen(messages: readonly Message[]): boolean {
    const ids = messages.flatMap((one) => (one.is === 'request' ? [keyOf(one.id)] : []));
    return new Set(ids).size < ids.length || ids.some((id) => this.#posts.has(id));
  }

  /** Takes messages that need no answer. */
  take(messages: readonly Message[]): void {
    this.#usedAtMs = this.#nowMs();
    for (const message of messages) this.#session.heard(message);
  }

  /**
   * Takes messages and answers the requests among them.
   *
   * @param canResume whether the host knows what an event without data is
   */
  answerOn(response: ServerResponse, messages: readonly Message[], canResume: boolean): void {
    this.#made += 1;
    const writer = this.#writerOn(response);
    const post: PostStream = { name: `post${this.#made}`, open: new Set(), writer: undefined };
    for (const message of messages) {
      if (message.is !== 'request') continue;
      if (message.method === 'initialize') this.#beginning = keyOf(message.id);
      post.open.add(keyOf(message.id));
      this.#posts.set(keyOf(message.id), post);
    }
    this.#carry(post, writer, response);
    const { clock } = this.options.guard.adapter;
    const begin = (): void => {
      if (canResume) writer.send('', this.#log.add(post.name, '').id);
      else writer.open();
    };
    response.on('close', clock.alarm(BEGIN_MS, false, begin));
    this.take(messages);
  }

  /** Opens the stream of what no request caused, in place of one that may be open. */
  listenOn(response: ServerResponse): void {
    const unheard = this.#unheard;
    this.#listen(this.#writerOn(response), unheard);
  }

  /** Goes on with a stream behind an event of it. False: the event is not known any more. */
  resumeOn(response: ServerResponse, lastEventId: string): boolean {
    const missed = this.#log.after(lastEventId);
    if (missed === undefined) return false;
    const { stream, events } = missed;
    const writer = this.#writerOn(response);
    if (stream === STANDING) {
      this.#listen(writer, events);
      return true;
    }
    writer.open();
    for (const { id, text } of events) if (text !== '') writer.send(text, id);
    const post = [...this.#posts.values()].find(({ name }) => name === stream);
    if (post === undefined) writer.end();
    else this.#carry(post, writer, response);
    return true;
  }

  keepAlive(): void {
    for (const { writer } of new Set(this.#posts.values())) writer?.keepAlive();
    this.#standing?.keepAlive();
  }

  /** Ends its streams, and leaves the server. */
  async end(): Promise<void> {
    await this.#session.end();
    for (const { writer } of new Set(this.#posts.values())) writer?.end();
    this.#posts.clear();
    this.#standing?.end();
  }

  answer(text: string, id: MessageId): void {
    const post = this.#posts.get(keyOf(id));
    // The request has been given up.
    if (post === undefined) return;
    this.#settle(post, id);
    const event = this.#log.add(post.name, text);
    if (post.open.size > 0) post.writer?.send(text, event.id);
    else post.writer?.sendLast(text, event.id);
    if (keyOf(id) === this.#beginning) this.#hasBegun(text);
  }

  dropped(id: MessageId): void {
    const post = this.#posts.get(keyOf(id));
    if (post === undefined) return;
    this.#settle(post, id);
    if (post.open.size === 0) post.writer?.end();
  }

  tell(text: string, relatedTo?: MessageId): void {
    const post = relatedTo === undefined ? undefined : this.#posts.get(keyOf(relatedTo));
    if (post !== undefined) {
      post.writer?.send(text, this.#log.add(post.name, text).id);
      return;
    }
    if (this.#standing?.isOpen === true) {
      this.#standing.send(text, this.#log.add(STANDING, text).id);
      return;
    }
    // A host that listens nowhere else hears it where it waits.
    const waiting = [...this.#posts.values()].findLast(({ writer }) => writer !== undefined);
    if (waiting !== undefined) {
      waiting.writer?.send(text, this.#log.add(waiting.name, text).id);
      return;
    }
    this.#unheard = [...this.#unheard, this.#log.add(STANDING, text)].slice(-MOST_UNHEARD);
  }

  noServer(why: string): void {
    this.options.log(`${why}\n`);
    this.options.onOver();
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
  }

  log(text: string): void {
    this.options.log(text);
  }

  /** Who cannot begin tries again, with a new session. */
  #hasBegun(answer: string): void {
    this.#beginning = undefined;
    const [said] = readMessages(answer);
    if (said?.is === 'response' && said.error !== undefined) this.options.onOver();
  }

  #settle(post: PostStream, id: MessageId): void {
    this.#usedAtMs = this.#nowMs();
    post.open.delete(keyOf(id));
    this.#posts.delete(keyOf(id));
  }

  #listen(writer: EventWriter, missed: readonly LoggedEvent[]): void {
    this.#usedAtMs = this.#nowMs();
    this.#unheard = [];
    this.#standing?.end();
    this.#standing = writer;
    writer.open();
    for (const { id, text } of missed) writer.send(text, id);
  }

  /** Has a POST answered here from now on, until the host goes away. */
  #carry(post: PostStream, writer: EventWriter, response: ServerResponse): void {
    post.writer?.end();
    post.writer = writer;
    response.on('close', () => {
      if (post.writer === writer) post.writer = undefined;
    });
  }

  #writerOn(response: ServerResponse): EventWriter {
    return new EventWriter(response, { 'mcp-session-id': this.id });
  }

  #nowMs(): number {
    return this.options.guard.adapter.clock.monotonicMs();
  }
}

/** Ids 1 and "1" are two. */
function keyOf(id: MessageId): string {
  return JSON.stringify(id);
}
