import { writeFile } from 'node:fs/promises';
import type { Draft } from './registry-source.js';

/** Where a draft goes unless it is said. */
const DRAFT_FILE = 'tools.registry.ts';

/**
 * Writes a draft to a new file: what is there may hold decisions. Says on standard error what came of it.
 *
 * @returns whether it is written
 */
export async function writeDraft(
  { source, left }: Draft,
  file: string = DRAFT_FILE,
): Promise<boolean> {
  try {
    await writeFile(file, source, { flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    console.error(
      isThere
        ? `${file} is there already, and stays as it is. Name another file with --out.`
        : `--out ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
    return false;
  }
  for (const name of left) {
    console.error(`${JSON.stringify(name)} is left out: a registry cannot have that name.`);
  }
  console.error(`${file} is written. Decide each TODO, then: tool-registry check ${file}`);
  return true;
}
