import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../support/bundle.js';

const testFolder = fileURLToPath(new URL('..', import.meta.url));
const packagesFolder = join(testFolder, '../packages');

/** What cannot be bundled, and the package that has it. */
const unbundled = { jiti: 'tool-registry', libsql: 'mcp-guard' };
const external = [...Object.keys(unbundled), 'better-sqlite3'];

/** The program and a registry, each in one file: starting them from sources takes several times as long. */
export interface Bundle {
  readonly program: string;
  readonly registry: string;
}

/** Makes both in a new folder. */
export async function bundleProxy(): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mcp-bundle-'));
  // Where the program looks for its package, and finds what cannot be bundled.
  await symlink(join(packagesFolder, 'mcp-guard/package.json'), join(folder, 'package.json'));
  await mkdir(join(folder, 'node_modules'));
  for (const [name, owner] of Object.entries(unbundled)) {
    const target = join(packagesFolder, owner, 'node_modules', name);
    await symlink(target, join(folder, 'node_modules', name), 'dir');
  }
  const out = join(folder, 'dist/cli');
  const [program, registry] = await Promise.all([
    bundle(join(packagesFolder, 'mcp-guard/src/cli/main.ts'), out, 'main.mjs', external),
    bundle(join(testFolder, 'mcp/desk.registry.ts'), out, 'desk.registry.mjs', external),
  ]);
  return { program, registry };
}

/** Another registry as one file, beside the program, where it finds what cannot be bundled. */
export function bundleRegistry(source: string, { program }: Bundle): Promise<string> {
  return bundle(source, dirname(program), 'other.registry.mjs', external);
}

/** A program of the conformance suite's folder as one file in a new folder. */
export async function bundleForSuite(program: 'fixture' | 'client'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mcp-suite-'));
  const source = join(testFolder, `mcp/conformance/${program}-program.ts`);
  return bundle(source, folder, `${program}.mjs`, ['libsql', 'better-sqlite3']);
}
