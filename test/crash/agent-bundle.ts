import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../support/bundle.js';

const program = fileURLToPath(new URL('./agent/program.ts', import.meta.url));
const modules = fileURLToPath(new URL('../node_modules', import.meta.url));

/**
 * Makes one file of the agent program and all it uses: the table starts hundreds.
 *
 * @param folder an existing folder for it
 * @returns the file to run
 */
export async function bundleAgent(folder: string): Promise<string> {
  const file = await bundle(program, folder, 'agent.mjs', ['better-sqlite3', 'libsql']);
  // Where the database drivers are found.
  await symlink(modules, join(folder, 'node_modules'), 'dir');
  return file;
}
