import type { ServerResponse } from 'node:http';

/** What a host may leave unread on one stream before it is ended, in bytes. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;

const HEAD = {
  'content-type': 'text/event-stream',
  // Neither kept by a cache nor held back by a proxy.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * A stream of server-sent events to a host. Its head is written with the first event, so that a short answer
 * is one packet.
 */
export class EventWriter {
  constructor(
    private readonly response: ServerResponse,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.writableEnded;
  }

  /** Lets the host know that it is there, before there is anything to say. */
  open(): void {
    this.#begin();
    this.response.flushHeaders();
  }

  /** Gives an event. A host that does not read loses the stream, and can come back for it. */
  send(text: string, id: string): void {
    if (this.response.writableLength > MOST_UNREAD_BYTES) this.response.destroy();
    else this.#write(`id: ${id}\ndata: ${text}\n\n`);
  }

  /** Gives the last event, and the end. */
  sendLast(text: string, id: string): void {
    if (!this.isOpen) return;
    this.#begin();
    this.response.end(`id: ${id}\ndata: ${text}\n\n`);
  }

  /** Something to keep the connection alive, which means nothing. */
  keepAlive(): void {
    this.#write(': keepalive\n\n');
  }

  end(): void {
    if (!this.isOpen) return;
    this.#begin();
    this.response.end();
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    this.#begin();
    this.response.write(text);
  }

  #begin(): void {
    if (!this.response.headersSent) this.response.writeHead(200, { ...HEAD, ...this.headers });
  }
}
