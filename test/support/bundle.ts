import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const testFolder = fileURLToPath(new URL('..', import.meta.url));

/**
 * Makes one file of a program and all it uses, because starting it from sources takes several times as long.
 *
 * @param outDir an existing folder or a new one
 * @param external packages that cannot be bundled, to be found from there
 * @returns the file to run
 */
export async function bundle(
  source: string,
  outDir: string,
  fileName: string,
  external: readonly string[],
): Promise<string> {
  const bundled = await build({
    // Knows where the packages' sources are.
    configFile: join(testFolder, '../vitest.config.ts'),
    root: testFolder,
    logLevel: 'warn',
    ssr: { noExternal: true, external: [...external] },
    build: {
      ssr: source,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: fileName, codeSplitting: false } },
    },
  });
  if (Array.isArray(bundled) || !('output' in bundled)) throw new TypeError('not one bundle');
  return join(outDir, bundled.output[0].fileName);
}
