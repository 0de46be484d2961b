import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const program = fileURLToPath(new URL('./agent/program.ts', import.meta.url));
const testFolder = fileURLToPath(new URL('..', import.meta.url));
const modules = join(testFolder, 'node_modules');
/** Knows where the packages' sources are. */
const configFile = join(testFolder, '../vitest.config.ts');

/**
 * Makes one file of the agent program and all it uses, because starting it from sources takes several
 * times as long and the table starts hundreds.
 *
 * @param folder an existing folder for it
 * @returns the file to run
 */
export async function bundleAgent(folder: string): Promise<string> {
  const bundled = await build({
    configFile,
    root: testFolder,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['better-sqlite3', 'libsql'] },
    build: {
      ssr: program,
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: {
        output: { entryFileNames: 'agent.mjs', codeSplitting: false },
      },
    },
  });
  if (Array.isArray(bundled) || !('output' in bundled)) throw new TypeError('not one bundle');
  // Where the database drivers, which cannot be bundled, are found.
  await symlink(modules, join(folder, 'node_modules'), 'dir');
  return join(folder, bundled.output[0].fileName);
}
