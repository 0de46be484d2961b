import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** The program on the packages' sources, which needs no build. How fast they are is not looked at. */
async function bench(
  ...args: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, TSX_TSCONFIG_PATH: '../tsconfig.json' };
  const given = ['--import', 'tsx', 'bench.ts', ...args];
  try {
    return {
      code: 0,
      ...(await promisify(execFile)(process.execPath, given, { cwd: folder, env })),
    };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

describe('the benchmark program', () => {
  it.each(['guarded-read', 'effect-key'])(
    'prints the figures of %s as one JSON document',
    async (name) => {
      const { code, stdout } = await bench('--json', '--rounds', '1', '--only', name);
      const { results } = JSON.parse(stdout) as { results: readonly Record<string, unknown>[] };
      expect(results.length).toBeGreaterThan(0);
      for (const result of results) {
        expect(result).toEqual({
          name: expect.any(String),
          ours: expect.any(Number),
          peer: expect.any(Number),
          peerName: expect.any(String),
          unit: expect.any(String),
          ratio: expect.any(Number),
          bound: expect.stringMatching(/^(none|ratio [<>]= [\d.]+|ours < [\d.]+)$/),
          ok: expect.any(Boolean),
        });
      }
      // A missed bound is told by the exit code.
      expect(code).toBe(results.every(({ ok }) => ok) ? 0 : 1);
    },
  );

  it('names the benchmarks there are for one that there is not', async () => {
    expect(await bench('--only', 'speed')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('guarded-read, heap-growth, ledgered-effect'),
    });
  });
});
