import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The public server of this project's dependencies, as `npx` would start the one of npm. */
export const fileServer = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** What mcp.json says, with what this project has installed in the places of `npx` and `/data`. */
export function guardedFiles(folder: string) {
  const {
    MCP_GUARD: guard = here('../node_modules/@holdfast/mcp-guard/dist/cli/main.mjs'),
    REGISTRY: registry = here('files.registry.ts'),
    LEDGER: ledger = join(tmpdir(), 'holdfast-files.db'),
  } = process.env;
  return {
    command: process.execPath,
    args: [
      ...[guard, '--registry', registry, '--name', 'files', '--ledger', ledger],
      ...['--', process.execPath, fileServer, folder],
    ],
    stderr: 'ignore' as const,
  };
}
