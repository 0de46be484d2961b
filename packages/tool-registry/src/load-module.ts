/** Runs a user's file, TypeScript or not, without a build. */
import { existsSync } from 'node:fs';
import { createJiti, type Jiti, type JitiOptions } from 'jiti';

/**
 * What a file exports. What it prints goes to standard error.
 *
 * @param file an absolute path
 * @throws what the file throws, and where there is none
 */
export async function loadModule(file: string): Promise<unknown> {
  if (!existsSync(file)) throw new Error('there is no such file');
  return withStandardOutputFree(() => withFaults(file, () => importFile(file)));
}

function importFile(file: string): Promise<unknown> {
  // No cache on disk: it would be written into the user's node_modules.
  const options = { fsCache: false, interopDefault: false };
  return jitiFor(file, options).import(file);
}

/** With the path aliases of the project's tsconfig.json, as far as that can be read. */
function jitiFor(file: string, options: JitiOptions): Jiti {
  try {
    return createJiti(file, { ...options, tsconfigPaths: true });
  } catch {
    return createJiti(file, options);
  }
}

/** How the error of a module that is not found lists the files that lead to it, the nearest first. */
const requireStack = /\nRequire stack:\n- (.*)[\s\S]*/;

/** An error's message on one line, without its stack. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : `${String(error)} was thrown`;
  const told = message.replace(requireStack, ', imported by $1');
  return told.replace(/\s+/g, ' ').trim() || 'it failed to load';
}

/** Turns what a file does besides into errors: what it throws out of a timer, and that it ends the program. */
async function withFaults<T>(file: string, run: () => Promise<T>): Promise<T> {
  const ended = () => {
    console.error(`${file}: it ended the program, or never finished loading.`);
    process.exitCode = 2;
  };
  let fail = (_: unknown): void => {};
  const thrown = new Promise<never>((_, reject) => {
    fail = reject;
  });
  process.once('exit', ended);
  process.once('uncaughtException', fail);
  try {
    return await Promise.race([run(), thrown]);
  } finally {
    process.off('exit', ended);
    process.off('uncaughtException', fail);
  }
}

/** What the file prints goes to standard error: standard output is for the command's own answer. */
async function withStandardOutputFree<T>(run: () => Promise<T>): Promise<T> {
  const { write } = process.stdout;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await run();
  } finally {
    process.stdout.write = write;
  }
}
