import { LINE_CAP_BYTES } from '../message/line-framer.js';

/** As much as is read of a body that is no message, in bytes. */
const MOST_OTHER_BYTES = 65_536;

/** An answer of HTTP: its body is read once, or left by ending the iteration. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

export function headerText({ headers }: HttpAnswer, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** A body as text, or as the number of its bytes where it is longer than a message may be. */
export async function messageText({ body }: HttpAnswer): Promise<string | number> {
  const { chunks, bytes } = await readUpTo(body, LINE_CAP_BYTES);
  return bytes > LINE_CAP_BYTES ? bytes : Buffer.concat(chunks).toString('utf8');
}

/** The beginning of a body that is no message, as text. */
export async function otherText({ body }: HttpAnswer): Promise<string> {
  const { chunks } = await readUpTo(body, MOST_OTHER_BYTES);
  return Buffer.concat(chunks).subarray(0, MOST_OTHER_BYTES).toString('utf8');
}

/** Reads until there are more bytes than that. */
async function readUpTo(
  body: AsyncIterable<Uint8Array>,
  most: number,
): Promise<{ readonly chunks: readonly Uint8Array[]; readonly bytes: number }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > most) break;
  }
  return { chunks, bytes };
}
