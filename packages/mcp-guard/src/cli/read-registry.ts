import { resolve } from 'node:path';
import type { Registry } from '@holdfast/tool-registry';
import { loadRegistry } from '@holdfast/tool-registry/load-registry';

/** The registry of a file, or why there is none. */
export async function readRegistry(
  file: string,
): Promise<{ readonly registry: Registry } | { readonly problem: string }> {
  const loaded = await loadRegistry(resolve(file));
  switch (loaded.loaded) {
    case 'registry':
      return { registry: loaded.registry };
    case 'refused':
      return {
        problem: loaded.problems
          .map(({ field, reason, fix }) => `${file}: ${field}: ${reason}; ${fix}`)
          .join('\n'),
      };
    case 'unreadable':
      return { problem: `${file}: ${loaded.reason}` };
  }
}
