import { createParser } from 'eventsource-parser';
import { LINE_CAP_BYTES } from '../message/line-framer.js';

/** What a stream of server-sent events gives. Comments are nothing. */
export type Streamed =
  | { readonly data: string; readonly id: string | undefined }
  /** How long to wait before asking for the rest of a stream that ended. */
  | { readonly retryMs: number }
  /** An event that is longer than a message may be; nothing more is read. */
  | { readonly oversizedBytes: number };

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reads server-sent events. The parser is given whole lines only, so that a line of many chunks is joined
 * once: each byte is copied a fixed number of times, however long its event is.
 */
export async function* eventsOf(
  body: AsyncIterable<Uint8Array>,
  capBytes = LINE_CAP_BYTES,
): AsyncGenerator<Streamed, void> {
  let found: Streamed[] = [];
  /** Since the last event that was whole. */
  let bytes = 0;
  let incomplete: Uint8Array[] = [];
  let isFirst = true;
  const parser = createParser({
    onEvent({ event, data, id }) {
      bytes = 0;
      if (event === undefined || event === 'message') found.push({ data, id });
    },
    onRetry: (retryMs) => found.push({ retryMs }),
  });
  for await (const chunk of body) {
    const end = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN)) + 1;
    bytes += chunk.byteLength;
    if (end > 0) {
      const lines = Buffer.concat([...incomplete, chunk.subarray(0, end)]);
      incomplete = end === chunk.byteLength ? [] : [chunk.subarray(end)];
      const text = lines.toString('utf8');
      // The parser knows a byte order mark by its bytes alone.
      parser.feed(isFirst && text.startsWith('\ufeff') ? text.slice(1) : text);
      isFirst = false;
    } else {
      incomplete.push(chunk);
    }
    yield* found;
    found = [];
    if (bytes > capBytes) {
      yield { oversizedBytes: bytes };
      return;
    }
  }
}
