import { relative } from 'node:path';
import { loadRegistry } from '../load-registry.js';
import type { Registry } from '../registry.js';
import { meantFiles } from './find-files.js';

export type Source =
  | { readonly found: true; readonly registry: Registry; readonly file: string }
  | { readonly found: false; readonly why: string };

/** The registry of the one file that is meant. */
export async function oneRegistry(given: readonly string[]): Promise<Source> {
  const meant = await meantFiles(given, process.cwd());
  if (!meant.found) return meant;
  const [path, ...more] = meant.files;
  const shown = meant.files.map((file) => relative(process.cwd(), file));
  if (path === undefined || more.length > 0) {
    return { found: false, why: `Which one? There are several: ${shown.join(', ')}.` };
  }
  const file = shown[0] ?? path;
  const loaded = await loadRegistry(path);
  switch (loaded.loaded) {
    case 'registry':
      return { found: true, registry: loaded.registry, file: path };
    case 'refused':
      return {
        found: false,
        why: loaded.problems
          .map(({ field, reason, fix }) => `${file}: ${field}: ${reason}. Fix: ${fix}`)
          .join('\n'),
      };
    case 'unreadable':
      return { found: false, why: `${file}: ${loaded.reason}` };
  }
}
