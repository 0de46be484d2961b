/** Runs the benchmarks: each measures ours and the peer's in the same run and prints the ratio. */
import { cac } from 'cac';
import { keyComputation } from './effect-key.bench.js';
import { guardedRead } from './guarded-read.bench.js';
import { heapGrowth } from './heap-growth.bench.js';
import { ledgeredEffect } from './ledgered-effect.bench.js';
import { mcpHttp } from './mcp-http.bench.js';
import { mcpStdio } from './mcp-stdio.bench.js';
import type { BenchResult } from './result.js';
import { wrappedSaver } from './wrapped-saver.bench.js';

/** Each takes how many rounds to make, and scales them to what one of its rounds takes. */
const benches: Readonly<Record<string, (rounds: number) => Promise<readonly BenchResult[]>>> = {
  'guarded-read': guardedRead,
  'heap-growth': heapGrowth,
  'ledgered-effect': ledgeredEffect,
  'wrapped-saver': wrappedSaver,
  'effect-key': keyComputation,
  'mcp-stdio': mcpStdio,
  'mcp-http': mcpHttp,
};

const cli = cac('npm run bench --');
cli
  .command('', 'Measure, and hold each ratio to its bound')
  .option('--json', 'Print one JSON document on standard output')
  .option('--only <name>', `One of ${Object.keys(benches).join(', ')}`)
  .option('--rounds <n>', 'Rounds that count', { default: 9 })
  .action(async (options: { json?: boolean; only?: string; rounds: number }) => {
    const { rounds, only } = options;
    if (!Number.isInteger(rounds) || rounds < 1) {
      throw new RangeError(`--rounds takes a whole number from 1, not ${rounds}`);
    }
    const names = only === undefined ? Object.keys(benches) : [only];
    const results: BenchResult[] = [];
    for (const name of names) {
      const bench = benches[name];
      if (bench === undefined) {
        throw new RangeError(`--only takes one of ${Object.keys(benches).join(', ')}, not ${name}`);
      }
      const measured = await bench(rounds);
      results.push(...measured);
      if (!options.json) console.log(measured.map(lineOf).join('\n'));
    }
    if (options.json) console.log(JSON.stringify({ results }));
    process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
  });
cli.help();

try {
  cli.parse(process.argv, { run: false });
  await cli.runMatchedCommand();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

function lineOf({ name, ours, peer, peerName, unit, ratio, bound, ok }: BenchResult): string {
  const verdict =
    bound === 'none' ? 'for information' : `${bound}: ${ok ? 'holds' : 'DOES NOT HOLD'}`;
  return `${name}: ${figure(ours)} ${unit}; ${peerName}: ${figure(peer)}; ratio ${figure(ratio)} (${verdict})`;
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
