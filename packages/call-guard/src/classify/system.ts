/** Walks an error and its causes, AggregateError's members included. */
export function* causes(error: unknown, depth = 8): Generator<object> {
  if (typeof error !== 'object' || error === null || depth === 0) return;
  yield error;
  if ('errors' in error && Array.isArray(error.errors)) {
    for (const member of error.errors) yield* causes(member, depth - 1);
  }
  if ('cause' in error) yield* causes(error.cause, depth - 1);
}

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
  'TimeoutError',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_RESPONSE',
  'HPE_INVALID_CONSTANT',
]);

/** The connection failure in an error, if there is one. */
export function connectionFailure(
  error: unknown,
): { readonly code: string; readonly sent: boolean } | undefined {
  let unsent: string | undefined;
  for (const cause of causes(error)) {
    const code = codeOf(cause);
    if (code === undefined) continue;
    const connecting = 'syscall' in cause && cause.syscall === 'connect';
    if (connecting && UNSENT_IF_CONNECTING.has(code)) {
      unsent ??= code;
      continue;
    }
    // One lost request outweighs any number of refused ones.
    if (LOST.has(code)) return { code, sent: true };
    if (UNSENT.has(code)) unsent ??= code;
  }
  return unsent === undefined ? undefined : { code: unsent, sent: false };
}

/** Whether the error proves that its request never left. */
export function provesUnsent(error: unknown): boolean {
  return connectionFailure(error)?.sent === false;
}

/** The code, or the name of errors of the tool's own time limit: `AbortSignal.timeout` gives no code. */
function codeOf(error: object): string | undefined {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && error.name === 'TimeoutError' ? error.name : undefined;
}
