import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProxy, bundleRegistry } from '../mcp/bundle.js';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const own = (file: string) => readFile(join(examples, 'mcp-files', file), 'utf8');

let bundle: Bundle;
let registry: string;
beforeAll(async () => {
  bundle = await bundleProxy();
  registry = await bundleRegistry(join(examples, 'mcp-files/files.registry.ts'), bundle);
});

/** A program of the example on the packages' sources, with a ledger of its own. Gives what it prints. */
async function run(program: 'host.ts' | 'agent.ts'): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mcp-files-'));
  const env = {
    ...process.env,
    TSX_TSCONFIG_PATH: '../tsconfig.json',
    MCP_GUARD: bundle.program,
    REGISTRY: registry,
    LEDGER: join(folder, 'ledger.db'),
  };
  const given = ['--import', 'tsx', join('mcp-files', program)];
  const { stdout } = await promisify(execFile)(process.execPath, given, { cwd: examples, env });
  return JSON.parse(stdout);
}

describe('examples/mcp-files', () => {
  it('MCP-07: a host that sends an edit twice has it done once, and both answered', async () => {
    expect(await run('host.ts')).toEqual({
      diary: { content: 'I had coffee and coffee.\n' },
      failed: 0,
      folded: 1,
    });
  });

  it('an agent whose model asks for an edit twice has it done once', async () => {
    expect(await run('agent.ts')).toEqual({
      status: 'complete',
      diary: 'I had coffee and coffee.\n',
      said: 'It is in your diary.',
    });
  });

  it('its page shows the configuration as it is', async () => {
    expect(await own('README.md')).toContain((await own('mcp.json')).trim());
  });
});
