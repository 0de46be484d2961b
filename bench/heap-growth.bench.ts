import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BenchResult, resultOf } from './result.js';

/** Calls at full scale. */
const MOST_CALLS = 1_000_000;

/**
 * By how much the heap is larger after a million calls, each side in a process of its own that collects
 * its garbage before it looks.
 */
export async function heapGrowth(scale: number): Promise<readonly BenchResult[]> {
  const calls = Math.min(MOST_CALLS, scale * 120_000);
  const growthOf = async (whose: 'ours' | 'peer'): Promise<number> => {
    const program = fileURLToPath(new URL('heap-growth-process.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...process.execArgv,
      '--expose-gc',
      program,
      whose,
      String(calls),
    ]);
    return Number(stdout) / 2 ** 20;
  };
  return [
    resultOf(
      {
        name: `heap growth over ${calls.toLocaleString('en')} guarded reads`,
        ours: await growthOf('ours'),
        peer: await growthOf('peer'),
        peerName: 'cockatiel wrap(retry, breaker, timeout, bulkhead)',
        unit: 'MiB',
      },
      { oursBelow: 1 },
    ),
  ];
}
