import pc from 'picocolors';
import type { Terminal } from '../cli/terminal.js';

export interface CapturedTerminal extends Terminal {
  /** All that was printed since it was last asked. */
  taken(): string;
}

/** Keeps what is printed, without colors. */
export function capturedTerminal(): CapturedTerminal {
  let printed = '';
  const line = (text = '') => {
    printed += `${text}\n`;
  };
  return {
    line,
    json: (document) => line(JSON.stringify(document)),
    colors: pc.createColors(false),
    taken() {
      const all = printed;
      printed = '';
      return all;
    },
  };
}
