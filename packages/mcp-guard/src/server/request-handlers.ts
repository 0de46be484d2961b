import { SetupError } from '@holdfast/tool-registry';
import { isRecord } from '../message/message.js';

/** A request as the SDK gives it to its handler. */
export interface ServerRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What a handler is given beside it, by version 1 of the SDK as it is, by version 2 under `mcpReq`. */
export type HandlerContext = Readonly<Record<string, unknown>>;

export type Handler = (request: ServerRequest, context: HandlerContext) => Promise<unknown>;

const METHOD = 'tools/call';

// Known to both copies of this package, ESM and CommonJS.
const HONORED = Symbol.for('holdfast.honored-server');

/** A server of either version of the SDK, high or low: only what is used of it. */
interface LowServer {
  readonly _requestHandlers: Map<string, Handler>;
  setRequestHandler(...given: readonly unknown[]): unknown;
}

/**
 * Puts something around whatever handles `tools/call` of a server, now and when a tool is registered later.
 * The SDKs have no public place for that; both keep their handlers in a map of this name.
 *
 * @throws SetupError `option_out_of_range` for what is no server of the SDK, and for one that has it already
 */
export function aroundToolCalls(
  server: unknown,
  around: (request: ServerRequest, context: HandlerContext, next: Handler) => Promise<unknown>,
): void {
  const low = lowServerOf(server);
  if (HONORED in low) {
    // Its own first half would hold the key that its second half waits for.
    throw new SetupError('option_out_of_range', [
      {
        field: 'server',
        reason: 'it honors guards already',
        fix: 'call honorGuard once for each server',
      },
    ]);
  }
  Object.defineProperty(low, HONORED, { value: true });
  const wrapped = new WeakSet<Handler>();
  const wrap = (): void => {
    const next = low._requestHandlers.get(METHOD);
    if (next === undefined || wrapped.has(next)) return;
    const handler: Handler = (request, context) => around(request, context, next);
    wrapped.add(handler);
    low._requestHandlers.set(METHOD, handler);
  };
  const own = low.setRequestHandler;
  Object.defineProperty(low, 'setRequestHandler', {
    configurable: true,
    writable: true,
    value: (...given: readonly unknown[]): unknown => {
      const answer = Reflect.apply(own, low, given);
      wrap();
      return answer;
    },
  });
  wrap();
}

/** The signal by which the SDK tells its handler that the caller gave up. */
export function signalOf(context: HandlerContext): AbortSignal | undefined {
  const { signal } = isRecord(context.mcpReq) ? context.mcpReq : context;
  return signal instanceof AbortSignal ? signal : undefined;
}

/** The same context with another signal. */
export function withSignal(context: HandlerContext, signal: AbortSignal): HandlerContext {
  return isRecord(context.mcpReq)
    ? { ...context, mcpReq: { ...context.mcpReq, signal } }
    : { ...context, signal };
}

/** Who the transport says is calling; undefined where it does not know. */
export function callerOf(context: HandlerContext): string | undefined {
  const auth = isRecord(context.http) ? context.http.authInfo : context.authInfo;
  const id = isRecord(auth) ? auth.clientId : undefined;
  return typeof id === 'string' ? id : undefined;
}

function lowServerOf(server: unknown): LowServer {
  const given = isRecord(server) && isRecord(server.server) ? server.server : server;
  if (isLowServer(given)) return given;
  throw new SetupError('option_out_of_range', [
    {
      field: 'server',
      reason: 'it is no server of the MCP SDK',
      fix: "give a McpServer or Server of '@modelcontextprotocol/sdk' 1 or '@modelcontextprotocol/server' 2",
    },
  ]);
}

function isLowServer(value: unknown): value is LowServer {
  return (
    isRecord(value) &&
    value._requestHandlers instanceof Map &&
    typeof value.setRequestHandler === 'function'
  );
}
