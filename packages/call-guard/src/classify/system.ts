import { causes } from './causes.js';
import { type ErrorView, textAt, viewOf } from './error-view.js';
import { lost, type Reading, unsent } from './reading.js';

/** Codes of a connection that was never made: the request cannot have left. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Codes that a connection may also break with after it was made: what was tried tells. */
const UNSENT_IF_CONNECTING = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

/** Codes of a connection that broke after it was made: the request may have been acted on. */
const LOST = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_NETWORK',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_RESPONSE',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'HPE_INVALID_CONSTANT',
]);

/** The OpenAI and Anthropic SDKs, undici. */
const LOST_TEXT =
  /^(?:Connection error\.|Request timed out\.|fetch failed|terminated|other side closed)$/;

/** A code of Node, undici or TLS. */
export function readSystem(view: ErrorView): Reading | undefined {
  const { code, error } = view;
  if (typeof code === 'string') {
    const connecting = textAt(error, 'syscall') === 'connect';
    if (connecting && UNSENT_IF_CONNECTING.has(code)) return { meaning: unsent, code };
    if (LOST.has(code)) return { meaning: lost, code };
    if (UNSENT.has(code)) return { meaning: unsent, code };
  }
  return undefined;
}

/** Whether a client says that its connection failed, and keeps no code that would tell how. */
export function saysLost({ message }: ErrorView): boolean {
  return LOST_TEXT.test(message);
}

/** Whether the error proves that its request never left: all it holds of connections says so. */
export function provesUnsent(error: unknown): boolean {
  const readings = causes(error).flatMap((cause) => readSystem(viewOf(cause)) ?? []);
  return readings.length > 0 && readings.every(({ meaning }) => meaning === unsent);
}
