/** Runs a user's registry file, TypeScript or not, and takes the registry out of what it exports. */
import { createJiti, type Jiti, type JitiOptions } from 'jiti';
import type { Registry } from './registry.js';
import { isRegistry } from './registry.js';
import { isSetupError, type SetupProblem } from './setup-error.js';

/** What came of a file. */
export type Loaded =
  | { readonly loaded: 'registry'; readonly registry: Registry }
  /** The package refused what the file declares. */
  | { readonly loaded: 'refused'; readonly problems: readonly SetupProblem[] }
  /** It could not be run, or exports no registry. */
  | { readonly loaded: 'unreadable'; readonly reason: string };

/**
 * Runs a file and finds its registry: the default export, or the only export that is one.
 *
 * @param file an absolute path
 */
export async function loadRegistry(file: string): Promise<Loaded> {
  try {
    return registryOf(await withStandardOutputFree(() => withFaults(file, () => importFile(file))));
  } catch (error) {
    if (isSetupError(error)) return { loaded: 'refused', problems: error.problems };
    return { loaded: 'unreadable', reason: reasonOf(error) };
  }
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

function registryOf(module: unknown): Loaded {
  const registries = new Set<Registry>();
  // CommonJS may be what is exported, or its default.
  for (const value of [module, property(module, 'default')]) {
    if (isRegistry(value)) return { loaded: 'registry', registry: value };
    const inner = property(value, 'default');
    if (isRegistry(inner)) return { loaded: 'registry', registry: inner };
    for (const exported of exportsOf(value)) if (isRegistry(exported)) registries.add(exported);
  }
  const [registry, another] = registries;
  if (registry !== undefined && another === undefined) return { loaded: 'registry', registry };
  const names = [...registries].map(({ name }) => `'${name}'`).join(', ');
  const reason =
    registry === undefined
      ? 'it exports no registry'
      : `it exports several registries (${names}) and none by default`;
  return { loaded: 'unreadable', reason: `${reason}; write export default defineRegistry({ … })` };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function exportsOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** How the error of a module that is not found lists the files that lead to it, the nearest first. */
const requireStack = /\nRequire stack:\n- (.*)[\s\S]*/;

/** An error's message on one line, without its stack. */
function reasonOf(error: unknown): string {
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
