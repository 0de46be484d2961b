/** As much of a refusal's body as is read, in bytes. */
const MOST_BODY_BYTES = 65_536;

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

/** An answer of HTTP: its body is read once, or left by ending the iteration. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The beginning of a body, as text. */
export async function refusalText({ body }: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= MOST_BODY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_BODY_BYTES).toString('utf8');
}
