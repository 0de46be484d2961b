/** Runs a user's registry file, TypeScript or not, and takes the registry out of what it exports. */
import { loadModule, reasonOf } from './load-module.js';
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
    return registryOf(await loadModule(file));
  } catch (error) {
    if (isSetupError(error)) return { loaded: 'refused', problems: error.problems };
    return { loaded: 'unreadable', reason: reasonOf(error) };
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
