import { type CallContext, StatedFailure } from '@holdfast/call-guard';
import type { RpcError } from '../message/message.js';
import type { CallActivity } from './call-activity.js';
import { paramsText } from './call-params.js';
import type { CallParts } from './call-parts.js';
import { type CallResult, callResult } from './call-result.js';
import type { Purpose, Reply } from './own-requests.js';
import { statedBy, withoutServerWord } from './server-word.js';
import type { ToolCall } from './tool-call.js';
import { UpstreamLost } from './upstream.js';

/** What hears of a call that is under way. */
export interface Hears {
  readonly onProgress: (params: Readonly<Record<string, unknown>>) => void;
  readonly activity: CallActivity;
}

/**
 * Sends a call to the server: in this turn, where the server works. What it costs stands before an answer that
 * somebody waits for, so nothing is waited for that is there.
 *
 * @param purpose what the request is made for, and given up with
 * @param then what becomes of the reply, in the turn in which it comes
 */
export function sendCall<T>(
  call: ToolCall,
  context: CallContext,
  hears: Hears,
  purpose: Purpose,
  parts: CallParts,
  then: (reply: Reply) => T,
): Promise<T> {
  const { upstream } = parts;
  const send = (): Promise<Reply> =>
    parts.own.request('tools/call', (token) => paramsText(call, context, token, parts), {
      purpose,
      onProgress: hears.onProgress,
      forHost: call.id,
      // Reading them says that the key was sent.
      ...(upstream.carriesHeaders ? { headers: context.headers() } : {}),
    });
  const ready = upstream.ready();
  const replied =
    ready === undefined
      ? send()
      : ready.then(() => {
          purpose.signal.throwIfAborted();
          // Bringing the server to work is no silence of the tool's.
          hears.activity.alive();
          return send();
        });
  return replied.then(then, (error: unknown) => {
    throw error instanceof UpstreamLost ? failureOf(error) : error;
  });
}

function failureOf(lost: UpstreamLost): Error {
  return lost.sent
    ? new ServerError({ code: -32000, message: 'Connection closed' })
    : new StatedFailure('transport_lost', 'none', { sent: false }, lost);
}

/** Passes progress on under the host's token. A later attempt counts anew; what a host sees only grows. */
export function progressOf(
  { id, progressToken }: ToolCall,
  { tell }: CallParts,
): (params: Readonly<Record<string, unknown>>) => void {
  let reached = Number.NEGATIVE_INFINITY;
  return (params) => {
    const { progress } = params;
    if (progressToken === undefined || typeof progress !== 'number' || progress <= reached) return;
    reached = progress;
    const method = 'notifications/progress';
    tell(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, progressToken } }), id);
  };
}

/** @throws what the server said instead of a result */
export function outputOf(reply: Reply, isRead: boolean): CallResult {
  switch (reply.replied) {
    case 'result': {
      const text = withoutServerWord(reply.text);
      const result = text === reply.text ? callResult(text, reply.result) : callResult(text);
      const stated = result.result.isError === true ? statedBy(reply) : undefined;
      if (stated !== undefined) throw stated;
      return result;
    }
    case 'error':
      throw statedBy(reply) ?? new ServerError(reply.error);
    case 'oversized': {
      const message = `the answer has ${reply.bytes} bytes, more than a message may have`;
      const problems = [{ path: [], message }];
      throw new StatedFailure('result_invalid', isRead ? 'none' : 'done', { problems });
    }
  }
}

/** An error of the server, as clients of the protocol throw it. */
class ServerError extends Error {
  override readonly name = 'McpError';
  readonly code: number;
  constructor({ code, message }: RpcError) {
    // Each hop of other proxies puts its own prefix before the text.
    super(`MCP error ${code}: ${message.replace(/^(?:MCP error -?\d+: )+/, '')}`);
    this.code = code;
  }
}
