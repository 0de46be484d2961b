import type { HttpAnswer } from './http-answer.js';

/**
 * An answer of HTTP where one of the protocol was expected, as clients of the protocol throw it: its status,
 * headers and body are what `classify` reads.
 */
export class HttpRefusal extends Error {
  override readonly name = 'StreamableHTTPError';
  constructor(
    readonly status: number,
    readonly headers: HttpAnswer['headers'],
    readonly body: string,
  ) {
    super(body.trim() === '' ? `status ${status}` : `status ${status}: ${body.slice(0, 300)}`);
  }
}

/** A request that may have been acted on, and whose answer will not come. */
export function endedWithout(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
}
