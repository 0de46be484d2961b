/** A value for each dimension. */
export type Row<D extends Dimensions> = { readonly [N in keyof D]: D[N][number] };
type Dimensions = Readonly<Record<string, readonly string[]>>;

/** How many ways of filling up a row are tried for the best one: each begins at another dimension. */
type Filled = ReadonlyMap<string, string>;

/**
 * Rows in which the values of any few dimensions meet in every combination, made by the greedy method of
 * AETG (Cohen et al., IEEE TSE 23(7), 1997) without its chance: the same rows each time.
 *
 * @param strength how many dimensions: 2 for every pair of values, 3 for every triple
 * @param impossible combinations that no row may hold; what holds one need not be met
 * @returns the rows, in the order of the dimensions' values
 */
export function coveringSet<D extends Dimensions>(
  dimensions: D,
  strength: number,
  impossible: readonly Partial<Row<D>>[] = [],
): readonly Row<D>[] {
  const names = Object.keys(dimensions);
  const isPossible = (row: Filled): boolean =>
    !impossible.some((parts) => Object.entries(parts).every(([n, value]) => row.get(n) === value));
  const missing = new Map(
    combinations(names, strength)
      .flatMap((some) => tuples(some, dimensions))
      .filter(isPossible)
      .map((tuple) => [keyOf(tuple), tuple]),
  );
  const used = new Map<string, number>();
  const rows: Filled[] = [];
  for (let first = missing.values().next(); !first.done; first = missing.values().next()) {
    const start = first.value;
    const open = names.filter((name) => !start.has(name));
    const best = open
      .map((_, at) => filledUp(start, [...open.slice(at), ...open.slice(0, at)]))
      .concat(open.length === 0 ? [{ row: start, gain: 1 }] : [])
      .reduce((one, other) => (other.gain > one.gain ? other : one));
    for (const some of combinations(names, strength)) missing.delete(keyOf(part(best.row, some)));
    for (const [name, value] of best.row) {
      used.set(`${name}=${value}`, (used.get(`${name}=${value}`) ?? 0) + 1);
    }
    rows.push(best.row);
  }

  /** Takes for one dimension after the other the value that meets most of what is missing. */
  function filledUp(start: Filled, order: readonly string[]): { row: Filled; gain: number } {
    let row = start;
    let gain = 1;
    for (const name of order) {
      const others = combinations([...row.keys()], strength - 1);
      const choices = (dimensions[name] ?? [])
        .map((value) => {
          const next = new Map(row).set(name, value);
          const met = others.filter((some) => missing.has(keyOf(part(next, [...some, name]))));
          return { next, met: met.length, used: used.get(`${name}=${value}`) ?? 0 };
        })
        .filter(({ next }) => isPossible(next))
        .sort((one, other) => other.met - one.met || one.used - other.used);
      const [chosen] = choices;
      if (chosen === undefined) throw new RangeError(`no value of ${name} is possible`);
      row = chosen.next;
      gain += chosen.met;
    }
    return { row, gain };
  }

  const place = (row: Filled): number[] =>
    names.map((name) => dimensions[name]?.indexOf(row.get(name) ?? '') ?? -1);
  return rows
    .sort((one, other) => inOrder(place(one), place(other)))
    .map((row) => Object.fromEntries(names.map((name) => [name, row.get(name)])) as Row<D>);
}

function combinations(names: readonly string[], size: number): readonly (readonly string[])[] {
  if (size === 0) return [[]];
  return names.flatMap((name, at) =>
    combinations(names.slice(at + 1), size - 1).map((rest) => [name, ...rest]),
  );
}

function tuples(names: readonly string[], dimensions: Dimensions): readonly Filled[] {
  return names.reduce<readonly Filled[]>(
    (made, name) =>
      made.flatMap((tuple) =>
        (dimensions[name] ?? []).map((value) => new Map(tuple).set(name, value)),
      ),
    [new Map()],
  );
}

function part(row: Filled, names: readonly string[]): Filled {
  return new Map(names.map((name) => [name, row.get(name) ?? '']));
}

function keyOf(tuple: Filled): string {
  return [...tuple]
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join();
}

function inOrder(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
