import type { WriteStream } from 'node:tty';
import pc from 'picocolors';

/** Where lines for people go, with colors if that place shows them. */
export interface Terminal {
  line(text?: string): void;
  json(document: unknown): void;
  readonly colors: ReturnType<typeof pc.createColors>;
}

/** Colors only on a real terminal, and not when NO_COLOR is set. */
export function terminalOn(stream: WriteStream): Terminal {
  const line = (text = '') => void stream.write(`${text}\n`);
  return {
    line,
    json: (document) => line(JSON.stringify(document, null, 2)),
    colors: pc.createColors(stream.isTTY && stream.hasColors()),
  };
}

/** A cell of a table, and how it is painted once it is padded. */
export type Cell = string | readonly [text: string, paint: (text: string) => string];

/** Rows with their columns aligned. */
export function aligned(rows: readonly (readonly Cell[])[]): readonly string[] {
  const textOf = (cell: Cell) => (typeof cell === 'string' ? cell : cell[0]);
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) {
      widths[i] = Math.max(widths[i] ?? 0, textOf(cell).length);
    }
  }
  return rows.map((row) =>
    row
      .map((cell, i) => {
        const padded = i === row.length - 1 ? textOf(cell) : textOf(cell).padEnd(widths[i] ?? 0);
        return typeof cell === 'string' ? padded : cell[1](padded);
      })
      .join('  ')
      .trimEnd(),
  );
}
