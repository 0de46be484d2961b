import type { Clock } from '@holdfast/call-guard';
import { isRecord, type MessageId } from '../message/message.js';
import type { Front } from '../proxy/front.js';
import { GuardedSession, type SessionOptions } from '../proxy/session.js';
import {
  type Outgoing,
  type Upstream,
  type UpstreamEvents,
  UpstreamLost,
  type When,
} from '../proxy/upstream.js';
import type { Between, Carrier } from './interposed-transport.js';
import { isNoAnswer } from './mcp-fetch.js';
import { isStateless, type SdkMessage, type SdkTransport } from './sdk.js';

/** How long a client waits to hear that its connection is closed, until its calls have ended, in milliseconds. */
const PATIENCE_MS = 1_000;

export interface LinkOptions
  extends Pick<SessionOptions, 'guard' | 'server' | 'around' | 'toolForms' | 'pinning'> {
  readonly clock: Clock;
  /** Makes the way to the server anew; absent where it cannot be. */
  readonly newTransport: (() => SdkTransport) | undefined;
  /** A message of a protocol that is not guarded goes by. */
  onStateless(): void;
}

interface FromClient {
  readonly line: string;
  readonly message: SdkMessage;
  readonly options: unknown;
  sent: Promise<void>;
}

/** The same session as before any other host, between an SDK's client and its transport. */
export class ClientLink implements Between {
  readonly #session: GuardedSession;
  #events: UpstreamEvents | undefined;
  /** What the client is saying, and what the server is. */
  #saying: FromClient | undefined;
  #hearing:
    | { readonly line: string; readonly message: SdkMessage; readonly extra: unknown }
    | undefined;
  /** Requests whose sender was told that they did not leave. */
  readonly #refused = new Set<MessageId>();
  readonly #introductions = new Set<unknown>();
  #carrier: Pick<Carrier, 'send' | 'close'> & { readonly renewed?: SdkTransport };
  #state: 'open' | 'lost' | 'closing' = 'open';
  #renewing: Promise<void> | undefined;
  readonly #closing: Promise<void>;
  #tellClosing = (): void => {};

  constructor(
    private readonly client: Carrier,
    private readonly options: LinkOptions,
    private readonly transport: SdkTransport,
  ) {
    this.#carrier = client;
    this.#closing = new Promise((resolve) => {
      this.#tellClosing = resolve;
    });
    this.#session = new GuardedSession({
      ...options,
      front: this.#front(),
      connect: (events) => {
        this.#events = events;
        return this.#upstream();
      },
    });
  }

  fromClient(message: SdkMessage, options: unknown): Promise<void> {
    if (isStateless(message)) {
      this.options.onStateless();
      return this.#carrier.send(message, options);
    }
    const saying: FromClient = {
      line: JSON.stringify(message),
      message,
      options,
      sent: Promise.resolve(),
    };
    this.#saying = saying;
    try {
      this.#session.fromHost(saying.line);
    } finally {
      this.#saying = undefined;
    }
    return saying.sent;
  }

  fromServer(message: SdkMessage, extra: unknown): void {
    const { id } = message;
    if (isNoAnswer(message) && (typeof id === 'string' || typeof id === 'number')) {
      this.#events?.onUnanswered(id, new UpstreamLost(true, 'Connection closed'));
      return;
    }
    const line = JSON.stringify(message);
    if (this.#introductions.delete(id) && isRecord(message.result)) {
      const { protocolVersion } = message.result;
      const { renewed } = this.#carrier;
      if (typeof protocolVersion === 'string') renewed?.setProtocolVersion?.(protocolVersion);
    }
    this.#hearing = { line, message, extra };
    try {
      this.#events?.onMessage({ line });
    } finally {
      this.#hearing = undefined;
    }
  }

  async closed(): Promise<void> {
    if (this.#state === 'closing') return;
    this.#lost('Connection closed');
    if (this.options.newTransport !== undefined) return this.#closing;
    const patience = new AbortController();
    const isOver = this.#session.settled().then(() => patience.abort());
    await Promise.race([isOver, this.options.clock.sleep(PATIENCE_MS, patience.signal)]).catch(
      () => {},
    );
  }

  /** The client is about to close its transport. Resolves when its calls have ended, and other ways are closed. */
  async end(): Promise<void> {
    if (this.#state === 'closing') return;
    this.#state = 'closing';
    await this.#session.end();
    this.#tellClosing();
  }

  #upstream(): Upstream {
    return {
      carriesHeaders: false,
      send: (outgoing, when) => this.#send(outgoing, when),
      ready: () => this.#ready(),
      // The transports have no way to let one request go.
      giveUp: () => {},
      close: async () => {
        await this.#carrier.renewed?.close();
      },
    };
  }

  #front(): Front {
    return {
      answer: (text, id) => {
        if (!this.#refused.delete(id)) this.#toClient(text);
      },
      // It knows that it has given up.
      dropped: () => {},
      tell: (text) => this.#toClient(text),
      // The transport tells the client, and shows what a server prints.
      noServer: () => {},
      log: () => {},
    };
  }

  #toClient(text: string): void {
    const hearing = this.#hearing?.line === text ? this.#hearing : undefined;
    const message: SdkMessage = hearing?.message ?? JSON.parse(text);
    this.client.deliver(message, hearing?.extra);
  }

  #send({ text, method, id }: Outgoing, when: When): void {
    const saying = this.#saying?.line === text ? this.#saying : undefined;
    const message: SdkMessage = saying?.message ?? JSON.parse(text);
    if (method === 'initialize') this.#introductions.add(id);
    const sent = this.#carry(message, saying?.options, when);
    if (saying !== undefined) saying.sent = sent;
    sent.catch((error: unknown) => {
      if (id === undefined) return;
      // The client hears of it by its own `send`.
      if (saying !== undefined) this.#refused.add(id);
      this.#events?.onUnanswered(id, error);
    });
  }

  async #ready(): Promise<void> {
    if (this.#state === 'open') return;
    const { newTransport } = this.options;
    if (newTransport === undefined || this.#state === 'closing') {
      throw new UpstreamLost(false, 'Not connected');
    }
    this.#renewing ??= this.#renew(newTransport).finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** Says it to the server. One that has forgotten the session has done nothing: it is told once more, anew. */
  async #carry(message: SdkMessage, options: unknown, when: When): Promise<void> {
    if (when === 'in-turn' && this.#state === 'lost' && this.options.newTransport !== undefined) {
      await this.#ready();
    }
    const carrier = this.#carrier;
    try {
      await carrier.send(message, options);
    } catch (error) {
      const hadSession = (carrier.renewed ?? this.transport).sessionId !== undefined;
      const mayRenew = when === 'in-turn' && this.options.newTransport !== undefined;
      if (!hadSession || !mayRenew || !isSessionLost(error)) throw error;
      if (carrier === this.#carrier) this.#state = 'lost';
      await this.#ready();
      await this.#carrier.send(message, options);
    }
  }

  async #renew(newTransport: () => SdkTransport): Promise<void> {
    const before = this.#carrier;
    const renewed = newTransport();
    renewed.onmessage = (message, extra) => this.fromServer(message, extra);
    renewed.onerror = (error) => this.transport.onerror?.(error);
    renewed.onclose = () => {
      if (this.#carrier.renewed === renewed) this.#lost('Connection closed');
    };
    this.#carrier = {
      renewed,
      send: (message, options) => renewed.send(message, options),
      close: () => renewed.close(),
    };
    try {
      await before.close();
      await renewed.start();
      await this.#events?.onRestarted();
    } catch (error) {
      throw new UpstreamLost(false, 'the server cannot be reached again', { cause: error });
    }
    if (this.#state === 'lost') this.#state = 'open';
    // What it offers may be something else by now.
    this.fromServer({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, undefined);
  }

  #lost(why: string): void {
    if (this.#state !== 'open') return;
    this.#state = 'lost';
    this.#events?.onLost(why);
  }
}

/** Whether a server refused a request because it does not know the session: then it was not taken up. */
function isSessionLost(error: unknown): boolean {
  if (!isRecord(error)) return false;
  const data = isRecord(error.data) ? error.data : {};
  const status = [error.status, data.status, error.code].find((value) => typeof value === 'number');
  return status === 404 || (status === 400 && /session/i.test(String(error.message)));
}
