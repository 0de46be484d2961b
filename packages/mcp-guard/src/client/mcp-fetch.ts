import { eventsOf } from '../http/event-stream.js';
import { HttpRefusal } from '../http/http-refusal.js';
import { isRecord, type MessageId } from '../message/message.js';

/** Statuses that may say when to come again. */
const WAITING: ReadonlySet<number> = new Set([429, 503]);

/** Marks an error that stands for an answer that did not come. */
const NO_ANSWER = 'dev.holdfast/no-answer';

/** Whether a response was made by {@link mcpFetch}, because the server gave none. */
export function isNoAnswer({ error }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(error) && isRecord(error.data) && NO_ANSWER in error.data;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for the HTTP transport of an MCP client, which keeps what the transports of the SDKs lose: a refusal that
 * asks to wait rejects with its headers, so that the wait is kept; a stream of events that ends without the answer
 * ends its request at once, where it would hang until its limit. What can be taken up again (a stream with event ids) is
 * the transport's to take up.
 *
 * @param own what makes the requests. Default: `fetch`
 * @example new StreamableHTTPClientTransport(url, { fetch: mcpFetch() })
 */
export function mcpFetch(own: Fetch = fetch): Fetch {
  return async (url, init) => {
    const response = await own(url, init);
    const id = requestIdIn(init);
    if (id === undefined) return response;
    if (WAITING.has(response.status) && response.headers.has('retry-after')) {
      const { status, headers } = response;
      throw new HttpRefusal(status, Object.fromEntries(headers), await response.text());
    }
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!isStream || response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(withAnswer(response.body, id), { status, statusText, headers });
  };
}

/** The id of the one request that is posted. */
function requestIdIn(init: RequestInit | undefined): MessageId | undefined {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return undefined;
  const message = parsed(init.body);
  if (!isRecord(message) || typeof message.method !== 'string') return undefined;
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** The same stream; one that ends without the answer, and cannot be taken up again, says so at its end. */
function withAnswer(body: ReadableStream<Uint8Array>, id: MessageId): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      void passOn(reader, id, controller);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function passOn(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  id: MessageId,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  let needsNoAnswer = false;
  try {
    const events = eventsOf(chunksOf(reader, controller), Number.POSITIVE_INFINITY);
    for await (const event of events) {
      if ('data' in event) needsNoAnswer ||= event.id !== undefined || answers(event.data, id);
    }
    if (!needsNoAnswer) controller.enqueue(closedEvent(id));
    controller.close();
  } catch (error) {
    if (needsNoAnswer) {
      controller.error(error);
      return;
    }
    controller.enqueue(closedEvent(id));
    controller.close();
  }
}

/** What is read, which is passed on before it is looked at. */
async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  controller: ReadableStreamDefaultController<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    controller.enqueue(value);
    yield value;
  }
}

function answers(data: string, id: MessageId): boolean {
  const message = parsed(data);
  return isRecord(message) && message.id === id && message.method === undefined;
}

/** What the SDKs themselves say of a connection that was closed. */
function closedEvent(id: MessageId): Uint8Array {
  const error = { code: -32_000, message: 'Connection closed', data: { [NO_ANSWER]: true } };
  // What stood unfinished before it is no event.
  const text = `\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`;
  return new TextEncoder().encode(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
