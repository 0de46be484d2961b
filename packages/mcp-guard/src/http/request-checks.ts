import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Where the protocol is spoken. */
export const MCP_PATH = '/mcp';

const METHODS = ['GET', 'POST', 'DELETE'];

/** A request that is not looked into any further. */
export interface Refusal {
  readonly status: number;
  readonly why: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whom a front lets in. */
export interface Entry {
  /** Only programs of this machine: pages of a browser must not reach it by a name of their own. */
  readonly isLoopback: boolean;
  readonly token: string | undefined;
}

export function isLoopbackHost(name: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(name);
}

/** Why a request is not let in, by its head alone; undefined where it is. */
export function refusalOf(
  { method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  entry: Entry,
): Refusal | undefined {
  if (!isHostAllowed(headers.host, entry)) {
    return { status: 403, why: 'Forbidden: this Host is not served here' };
  }
  if (!isOriginAllowed(headers.origin, headers.host, entry)) {
    return { status: 403, why: 'Forbidden: pages of this Origin are not served' };
  }
  if (entry.token !== undefined && !isToken(headers.authorization, entry.token)) {
    const challenge = { 'www-authenticate': 'Bearer' };
    return { status: 401, why: 'Unauthorized: a bearer token is needed', headers: challenge };
  }
  if (url.split('?')[0] !== MCP_PATH) {
    return { status: 404, why: `Not Found: the path is ${MCP_PATH}` };
  }
  if (!METHODS.includes(method)) {
    const allow = { allow: METHODS.join(', ') };
    return { status: 405, why: 'Method not allowed', headers: allow };
  }
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && !/^\d{4}-\d\d-\d\d$/.test(String(version))) {
    return { status: 400, why: 'Bad Request: mcp-protocol-version is none' };
  }
  return method === 'DELETE' ? undefined : unusable(method, headers);
}

/** A request that cannot be answered in a form that its host reads. */
function unusable(method: string, headers: IncomingMessage['headers']): Refusal | undefined {
  const accept = headers.accept ?? '';
  const accepts = (type: string): boolean => accept.includes(type) || accept.includes('*/*');
  if (!accepts('text/event-stream') || (method === 'POST' && !accepts('application/json'))) {
    const types =
      method === 'POST' ? 'application/json and text/event-stream' : 'text/event-stream';
    return { status: 406, why: `Not Acceptable: Client must accept ${types}` };
  }
  if (method === 'POST' && !/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    return { status: 415, why: 'Unsupported Media Type: Content-Type must be application/json' };
  }
  return undefined;
}

/**
 * Against DNS rebinding: a page can have its own name lead to this machine, but not send another name along.
 * Where a token is needed, a page has none.
 */
function isHostAllowed(host: string | undefined, { isLoopback }: Entry): boolean {
  return !isLoopback || (host !== undefined && isLoopbackHost(withoutPort(host)));
}

/** Programs send none; a page may come from this machine, or from where it is served. */
function isOriginAllowed(
  origin: string | undefined,
  host: string | undefined,
  { isLoopback }: Entry,
): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  return isLoopback ? isLoopbackHost(from.hostname) : from.host === host;
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** Compared in a time that does not tell how much of it is right. */
function isToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given.trim()), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
