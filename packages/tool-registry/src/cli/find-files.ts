import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** `tools.registry.ts`, in each of the forms that Node.js and TypeScript know; no declaration file. */
const registryFile = /\.registry\.(?:ts|mts|cts|js|mjs|cjs)$/;
/** Folders that hold what others wrote or a program made. */
const skipped = new Set(['node_modules', 'dist']);

/** All registry files under a folder, by name; hidden folders, `node_modules` and `dist` are left out. */
async function registryFilesUnder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return registryFile.test(entry.name) ? [path] : [];
      const closed = skipped.has(entry.name) || entry.name.startsWith('.');
      // A folder that may not be read, such as a database's, holds no registry.
      return closed ? [] : registryFilesUnder(path).catch(noneIfForbidden);
    }),
  );
  return found.flat().sort();
}

function noneIfForbidden(error: unknown): readonly string[] {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM') return [];
  throw error;
}

/** The files that a command line means, as absolute paths, or why there are none. */
export type MeantFiles =
  | { readonly found: true; readonly files: readonly string[] }
  | { readonly found: false; readonly why: string };

async function filesOf(given: string, workingFolder: string): Promise<MeantFiles> {
  const path = resolve(workingFolder, given);
  try {
    if (!(await stat(path)).isDirectory()) return { found: true, files: [path] };
  } catch {
    return { found: false, why: `There is no file ${given}.` };
  }
  const files = await registryFilesUnder(path);
  if (files.length > 0) return { found: true, files };
  const where = given === '.' ? 'this folder' : given;
  return {
    found: false,
    why: `There is no *.registry.ts (or mts, cts, js, mjs, cjs) in ${where} or below. Name the file, or rename it.`,
  };
}

/** The files given, those under the folders given, or those under the working folder if nothing is given. */
export async function meantFiles(
  given: readonly string[],
  workingFolder: string,
): Promise<MeantFiles> {
  const files = new Set<string>();
  for (const path of given.length === 0 ? ['.'] : given) {
    const meant = await filesOf(path, workingFolder);
    if (!meant.found) return meant;
    for (const file of meant.files) files.add(file);
  }
  return { found: true, files: [...files] };
}
