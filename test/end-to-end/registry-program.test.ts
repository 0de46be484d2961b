import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const program = 'packages/tool-registry/src/cli/main.ts';
const toolRegistry = (...args: readonly string[]) =>
  run(process.execPath, ['--import', 'tsx', program, ...args], { cwd: root });

describe('the registries of the examples', () => {
  it('pass the check, with nothing to warn of', async () => {
    const { stdout } = await toolRegistry('check', '--strict', 'examples');
    expect(stdout).toMatch(/^\d+ tools in \d+ files: 0 errors, 0 warnings\n$/);
  });

  it('are what the committed docs say', async () => {
    const folder = 'examples/order-desk';
    await toolRegistry('docs', folder, '--out', `${folder}/TOOLS.md`, '--check');
  });
});
