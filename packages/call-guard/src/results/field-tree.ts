/** Fields by name; of each the fields inside of it that are meant, none for all of it. */
export interface FieldTree {
  readonly [name: string]: FieldTree;
}

/** Paths such as `order.status` as a tree by name. */
export function fieldTree(paths: readonly string[]): FieldTree {
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

/** The fields that are meant inside of the field of this name; undefined where it is not meant. */
export function fieldsIn(tree: FieldTree, name: string): FieldTree | undefined {
  return Object.hasOwn(tree, name) ? tree[name] : undefined;
}
