/** Runs the benchmarks: each measures ours and the peer's in the same run and prints the ratio. */
import { cac } from 'cac';
import { ledgeredEffect } from './ledgered-effect.bench.js';
import type { BenchResult } from './result.js';

const cli = cac('npm run bench --');
cli
  .command('', 'Measure, and hold each ratio to its bound')
  .option('--json', 'Print one JSON document on standard output')
  .option('--rounds <n>', 'Rounds that count', { default: 9 })
  .action(async (options: { json?: boolean; rounds: number }) => {
    const { rounds } = options;
    if (!Number.isInteger(rounds) || rounds < 1) {
      throw new RangeError(`--rounds takes a whole number from 1, not ${rounds}`);
    }
    const results = await ledgeredEffect(rounds);
    console.log(options.json ? JSON.stringify({ results }) : tableOf(results));
    process.exitCode = results.every(({ holds }) => holds) ? 0 : 1;
  });
cli.help();

try {
  cli.parse(process.argv, { run: false });
  await cli.runMatchedCommand();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

function tableOf(results: readonly BenchResult[]): string {
  return results
    .map(({ name, ours, peer, peerName, unit, ratio, bound, holds }) => {
      const verdict = holds ? 'holds' : 'DOES NOT HOLD';
      return `${name}: ${figure(ours)} ${unit}; ${peerName}: ${figure(peer)}; ratio ${figure(ratio)} (${bound}: ${verdict})`;
    })
    .join('\n');
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
