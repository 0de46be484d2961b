import type { Writable } from 'node:stream';

/** What a reader may leave unread before it counts as one that does not keep up, in bytes. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;

/** Writes lines to a stream, and says when its reader does not keep up. */
export class LineWriter {
  #isFull = false;

  /** @param onFull told when too much is unread, and when all of it has been read */
  constructor(
    private readonly stream: Writable,
    private readonly onFull: (isFull: boolean) => void,
  ) {}

  write(text: string): void {
    this.stream.write(`${text}\n`);
    if (this.#isFull || this.stream.writableLength <= MOST_UNREAD_BYTES) return;
    this.#isFull = true;
    this.onFull(true);
    this.stream.once('drain', () => {
      this.#isFull = false;
      this.onFull(false);
    });
  }
}
