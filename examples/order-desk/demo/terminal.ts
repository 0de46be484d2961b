import type { WriteStream } from 'node:tty';
import pc from 'picocolors';

/** Where lines for people go, with colors if that place shows them. */
export interface Terminal {
  line(text?: string): void;
  colors: ReturnType<typeof pc.createColors>;
}

/** Colors only on a real terminal, and not when NO_COLOR is set. */
export function terminalOn(stream: WriteStream): Terminal {
  return {
    line: (text = '') => void stream.write(`${text}\n`),
    colors: pc.createColors(stream.isTTY && stream.hasColors()),
  };
}
