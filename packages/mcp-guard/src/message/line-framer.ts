/** What a stream of lines gives: a line, or what is left of one that was too long to be kept. */
export type Framed =
  | { readonly line: string }
  | {
      readonly oversized: { readonly bytes: number; readonly head: string; readonly tail: string };
    };

/** What is kept of both ends of a line that is too long, in bytes. */
const KEPT_BYTES = 4_096;

/** The longest line that is kept whole, on either side. */
export const LINE_CAP_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Cuts bytes into lines at 0x0A, however they are chunked: nothing is decoded before its line is whole, and
 * each byte is looked at once. A line over the cap is let pass without being kept.
 */
export class LineFramer {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Buffer | undefined;
  #tail = Buffer.alloc(0);

  /** @param capBytes longest line that is kept whole */
  constructor(private readonly capBytes = LINE_CAP_BYTES) {}

  push(chunk: Buffer): readonly Framed[] {
    const framed: Framed[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      // Most lines come whole.
      if (this.#bytes === 0 && end - start <= this.capBytes) {
        framed.push(...framedLine(chunk.toString('utf8', start, end)));
      } else {
        this.#take(chunk.subarray(start, end));
        framed.push(...this.#finish());
      }
      start = end + 1;
    }
    if (start < chunk.byteLength) this.#take(chunk.subarray(start));
    return framed;
  }

  /** What came after the last newline, at the stream's end. */
  end(): readonly Framed[] {
    return this.#bytes === 0 ? [] : this.#finish();
  }

  #take(part: Buffer): void {
    if (part.byteLength === 0) return;
    this.#bytes += part.byteLength;
    if (this.#head === undefined && this.#bytes <= this.capBytes) {
      this.#chunks.push(part);
      return;
    }
    this.#head ??= firstBytes([...this.#chunks, part]);
    this.#tail = Buffer.concat([this.#tail, ...this.#chunks, part].map(lastBytes)).subarray(
      -KEPT_BYTES,
    );
    this.#chunks = [];
  }

  #finish(): readonly Framed[] {
    const bytes = this.#bytes;
    const head = this.#head;
    const tail = this.#tail;
    const line = head === undefined ? Buffer.concat(this.#chunks).toString('utf8') : '';
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#tail = Buffer.alloc(0);
    if (head !== undefined) {
      return [{ oversized: { bytes, head: head.toString('utf8'), tail: tail.toString('utf8') } }];
    }
    return framedLine(line);
  }
}

function framedLine(line: string): readonly Framed[] {
  const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line;
  return /\S/.test(trimmed) ? [{ line: trimmed }] : [];
}

function firstBytes(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.map((part) => part.subarray(0, KEPT_BYTES))).subarray(0, KEPT_BYTES);
}

function lastBytes(part: Buffer): Buffer {
  return part.subarray(-KEPT_BYTES);
}
