import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onOneLine } from '../message/json-text.js';
import { isRecord, type Message, readMessages } from '../message/message.js';
import type { SessionOptions } from '../proxy/session.js';
import { FrontSession } from './front-session.js';
import { type Entry, isLoopbackHost, MCP_PATH, type Refusal, refusalOf } from './request-checks.js';

/** The longest body of a host, in bytes. */
const MOST_BODY_BYTES = 4 * 1024 * 1024;

/** Sessions at a time: each has a server of its own. */
const MOST_SESSIONS = 64;

/** Between comments on streams that have nothing to say, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

/** After that an unused session is ended, in milliseconds. */
const IDLE_MS = 30 * 60_000;

/** After that an unused session makes room for a new one: most hosts leave without a word. */
const ROOM_MS = 60_000;

/** From here on hosts know what an event without data is. */
const RESUMABLE_SINCE = '2025-11-25';

/** The one version in which several messages may come together. */
const BATCH_VERSION = '2025-03-26';

export interface HttpFrontOptions extends Omit<SessionOptions, 'front'> {
  /** A name or an address of this machine. Others than loopback need a token. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly token?: string;
  log(text: string): void;
}

/** A front that listens. */
export interface HttpFront {
  /** Where hosts find it. */
  readonly url: string;
  /** Ends all sessions; resolves when nothing of them is left. */
  close(): Promise<void>;
}

/**
 * Stands before a server, for hosts that speak streamable HTTP (protocol versions 2025-03-26 to 2025-11-25).
 * Each session has its own way to the server.
 *
 * Rejects with what Node says where it cannot listen.
 */
export async function openHttpFront(options: HttpFrontOptions): Promise<HttpFront> {
  const front = new Listener(options);
  const port = await front.listen();
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}${MCP_PATH}`, close: () => front.close() };
}

class Listener {
  readonly #sessions = new Map<string, FrontSession>();
  readonly #ending = new Set<Promise<void>>();
  readonly #server: Server;
  readonly #entry: Entry;
  #stopTicking = (): void => {};
  #isClosing = false;

  constructor(private readonly options: HttpFrontOptions) {
    this.#entry = { isLoopback: isLoopbackHost(options.host), token: options.token };
    this.#server = createServer((request, response) => {
      // A host that goes away in the middle.
      response.on('error', () => {});
      this.#serve(request, response).catch((error: unknown) => {
        if (request.errored !== null) return;
        this.options.log(`a request could not be served: ${String(error)}\n`);
        refuse(response, { status: 500, why: 'Internal Server Error' });
      });
    });
  }

  listen(): Promise<number> {
    const { host, port } = this.options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.#tick();
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopTicking();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of [...this.#sessions.values()]) this.#end(session);
    await Promise.all([...this.#ending]);
    this.#server.closeAllConnections();
    await closed;
  }

  #tick(): void {
    const { clock } = this.options.guard.adapter;
    this.#stopTicking = clock.alarm(KEEP_ALIVE_MS, false, () => {
      for (const session of [...this.#sessions.values()]) {
        if (session.idleMs() >= IDLE_MS) this.#end(session);
        else session.keepAlive();
      }
      this.#tick();
    });
  }

  #end(session: FrontSession): void {
    this.#sessions.delete(session.id);
    const ended = session.end().catch((error: unknown) => {
      this.options.log(`a session could not be ended: ${String(error)}\n`);
    });
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, this.#entry);
    if (refusal !== undefined) {
      refuse(response, refusal);
      return;
    }
    if (request.method === 'POST') {
      const messages = await messagesOf(request);
      if ('status' in messages) refuse(response, messages);
      else this.#post(messages.messages, request, response);
      return;
    }
    const session = this.#sessionOf(request);
    if ('status' in session) refuse(response, session);
    else if (request.method === 'DELETE') {
      this.#end(session);
      response.writeHead(200).end();
    } else {
      this.#listen(session, request, response);
    }
  }

  #post(messages: readonly Message[], request: IncomingMessage, response: ServerResponse): void {
    const begins = messages.some((one) => one.is === 'request' && one.method === 'initialize');
    const session = begins ? this.#newSession(messages) : this.#sessionOf(request);
    if ('status' in session) {
      refuse(response, session);
      return;
    }
    if (session.isHeld) {
      const headers = { 'retry-after': '1' };
      refuse(response, { status: 503, why: 'Busy: the server does not read', headers });
      return;
    }
    if (session.hasOpen(messages)) {
      refuse(response, { status: 400, why: 'Bad Request: a request with this id is open' });
      return;
    }
    if (messages.some(({ is }) => is === 'request')) {
      const version = begins ? offeredVersion(messages) : versionOf(request);
      session.answerOn(response, messages, version >= RESUMABLE_SINCE);
    } else {
      session.take(messages);
      response.writeHead(202, { 'mcp-session-id': session.id }).end();
    }
  }

  #listen(session: FrontSession, request: IncomingMessage, response: ServerResponse): void {
    const lastEventId = request.headers['last-event-id'];
    if (typeof lastEventId !== 'string') session.listenOn(response);
    else if (!session.resumeOn(response, lastEventId)) {
      refuse(response, { status: 400, why: 'Bad Request: this event is not known any more' });
    }
  }

  #newSession(messages: readonly Message[]): FrontSession | Refusal {
    if (messages.length > 1) {
      return { status: 400, why: 'Bad Request: initialize comes alone' };
    }
    // Its request came before the end, and its body behind it: nobody would end its server.
    if (this.#isClosing) return { status: 503, why: 'Busy: this is about to end' };
    if (this.#sessions.size >= MOST_SESSIONS) this.#makeRoom();
    if (this.#sessions.size >= MOST_SESSIONS) {
      const headers = { 'retry-after': '30' };
      return { status: 503, why: `Busy: there are ${MOST_SESSIONS} sessions`, headers };
    }
    const id = this.options.guard.adapter.newId();
    const session: FrontSession = new FrontSession({
      ...this.options,
      id,
      onOver: () => this.#end(session),
    });
    this.#sessions.set(id, session);
    return session;
  }

  /** Ends the session that nobody has used for the longest time. */
  #makeRoom(): void {
    const [idlest] = [...this.#sessions.values()].sort((a, b) => b.idleMs() - a.idleMs());
    if (idlest !== undefined && idlest.idleMs() >= ROOM_MS) this.#end(idlest);
  }

  #sessionOf({ headers }: IncomingMessage): FrontSession | Refusal {
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') {
      return { status: 400, why: 'Bad Request: Mcp-Session-Id header is required' };
    }
    return this.#sessions.get(id) ?? { status: 404, why: 'Session not found' };
  }
}

/** What a POST brings. */
async function messagesOf(
  request: IncomingMessage,
): Promise<{ readonly messages: readonly Message[] } | Refusal> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // What is left unread must not take the connection along: the host is to read why.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BODY_BYTES) {
      const why = `Payload Too Large: a message may have ${MOST_BODY_BYTES} bytes`;
      return { status: 413, why, headers: { connection: 'close' } };
    }
    chunks.push(chunk);
  }
  const text = onOneLine(Buffer.concat(chunks).toString('utf8'));
  const messages = readMessages(text);
  if (messages.length === 0) return { status: 400, why: 'Parse error: no message of JSON-RPC' };
  if (text.trimStart().startsWith('[') && versionOf(request) !== BATCH_VERSION) {
    return { status: 400, why: 'Bad Request: this version takes one message at a time' };
  }
  return { messages };
}

/** A host that names no version speaks the one that had no such header. */
function versionOf({ headers }: IncomingMessage): string {
  return String(headers['mcp-protocol-version'] ?? BATCH_VERSION);
}

/** The version that a host begins with. */
function offeredVersion(messages: readonly Message[]): string {
  const [first] = messages;
  const params = first?.is === 'request' ? first.params : undefined;
  return isRecord(params) && typeof params.protocolVersion === 'string'
    ? params.protocolVersion
    : BATCH_VERSION;
}

/** What this front says itself, in the words of the protocol. */
function refuse(response: ServerResponse, { status, why, headers }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const code = status === 404 ? -32001 : -32000;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message: why }, id: null }));
}
