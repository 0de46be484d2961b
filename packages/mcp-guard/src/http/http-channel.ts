import { Agent, request } from 'undici';
import type { HttpAnswer } from './http-answer.js';

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Requests to one address. */
export interface HttpChannel {
  /** Resolves with the head of the answer. Rejects with the codes of Node and undici. */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** Statuses that have the same request made at another address. */
const MOVED = new Set([307, 308]);

/** Further addresses after a first one that has moved. */
const MOST_MOVES = 3;

/**
 * The way to a server over HTTP. Nothing is read for as long as nobody asks, no clock of its own runs
 * (undici would end a stream after 300 s in which a server has nothing to say), and a server that moved is
 * followed within its origin only: what is meant for one host is not another's to see.
 */
export function httpChannel(url: URL): HttpChannel {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  let address = url;
  return {
    async request({ method, headers, body, signal }) {
      for (let moves = 0; ; moves += 1) {
        const answer = await request(address, {
          method,
          headers,
          signal,
          dispatcher,
          ...(body === undefined ? {} : { body }),
        });
        const moved = movedTo(answer, address);
        if (moved === undefined || moves === MOST_MOVES) {
          return { status: answer.statusCode, headers: answer.headers, body: answer.body };
        }
        await answer.body.dump();
        address = moved;
      }
    },
    close: () => dispatcher.destroy(),
  };
}

function movedTo(
  { statusCode, headers }: Awaited<ReturnType<typeof request>>,
  from: URL,
): URL | undefined {
  const { location } = headers;
  if (!MOVED.has(statusCode) || typeof location !== 'string') return undefined;
  const to = new URL(location, from);
  return to.origin === from.origin ? to : undefined;
}
