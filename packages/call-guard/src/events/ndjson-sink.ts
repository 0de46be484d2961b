import { createWriteStream, type WriteStream } from 'node:fs';
import type { EventSink } from './event.js';

/**
 * Appends each event as a line of JSON to a file, which only its user may read where it is new. The file is
 * opened with the first event; what cannot be written is dropped without disturbing a call.
 */
export function ndjsonSink(file: string): EventSink {
  let stream: WriteStream | undefined;
  let broken = false;
  const open = (): WriteStream => {
    const opened = createWriteStream(file, { flags: 'a', mode: 0o600 });
    opened.on('error', () => {
      broken = true;
    });
    return opened;
  };
  return {
    write(event) {
      if (broken) throw new Error(`events cannot be written to ${file}`);
      stream ??= open();
      stream.write(`${JSON.stringify(event)}\n`);
    },
    flush: () =>
      new Promise((resolve) => {
        if (stream === undefined || broken) resolve();
        else stream.write('', () => resolve());
      }),
  };
}
