import type { KeptFields } from './trim.js';

/** Paths such as `order.status` as a tree by name. */
export function keptFields(paths: readonly string[]): KeptFields {
  const root: Tree = Object.create(null);
  for (const path of paths) {
    let at = root;
    for (const name of path.split('.')) {
      at[name] ??= Object.create(null) as Tree;
      at = at[name];
    }
  }
  return root;
}

interface Tree {
  [name: string]: Tree;
}
