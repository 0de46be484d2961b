import type { FaultOutcome } from './performance.js';
import type { Terminal } from './terminal.js';

const services = ['orders', 'mail'] as const;

interface Row {
  service: string;
  wish: string;
  stock: number;
  guarded: number;
}

/** What each service counted, the stock agent's count beside the guarded one's. */
export function tallyTable(outcome: FaultOutcome, colors: Terminal['colors']): string[] {
  const rows = rowsOf(outcome);
  const wide = Math.max(...rows.map((row) => row.wish.length), 'effect'.length);
  const head = `service  ${'effect'.padEnd(wide)}  stock  guarded`;
  const body = rows.map(({ service, wish, stock, guarded }) => {
    const counts = [cell(stock, 'stock'.length), cell(guarded, 'guarded'.length)].join('  ');
    return `${service.padEnd('service'.length)}  ${wish.padEnd(wide)}  ${counts}`;
  });
  return [colors.bold(head), ...body];

  function cell(count: number, width: number): string {
    const text = String(count).padStart(width);
    return count === 1 ? colors.green(text) : colors.red(text);
  }
}

function rowsOf({ stock, guarded }: FaultOutcome): Row[] {
  return services.flatMap((service) => {
    const [left, right] = [stock.tallies[service].effects, guarded.tallies[service].effects];
    return Object.keys({ ...left, ...right }).map((wish) => ({
      service,
      wish,
      stock: left[wish] ?? 0,
      guarded: right[wish] ?? 0,
    }));
  });
}
