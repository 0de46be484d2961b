import { type Cell, dimensions, impossible, longForm } from './cells.js';

type Dimension = keyof typeof dimensions;
type Wanted = Readonly<Record<Dimension, readonly string[]>>;

/**
 * The cells that a filter such as `agent=entrypoint,point=after-claim` asks for; a dimension given twice
 * takes both values. They are cells of the table, or, where it has none that fit, every combination that
 * does.
 *
 * @throws Error that names what does not fit and what would
 */
export function chosenCells(filter: string | undefined): readonly Cell[] {
  if (filter === undefined) return longForm();
  const wanted = wantedIn(filter);
  const fitting = longForm().filter((cell) => fits(cell, wanted));
  return fitting.length > 0 ? fitting : everyCombination(wanted);
}

function wantedIn(filter: string): Wanted {
  const named = new Map<Dimension, string[]>();
  for (const part of filter.split(',')) {
    const [name = '', value = ''] = part.split('=').map((word) => word.trim());
    if (!isDimension(name)) {
      throw new Error(`--only: “${name}” is none of ${Object.keys(dimensions).join(', ')}`);
    }
    const values: readonly string[] = dimensions[name];
    if (!values.includes(value)) {
      throw new Error(`--only: ${name} “${value}” is none of ${values.join(', ')}`);
    }
    named.set(name, [...(named.get(name) ?? []), value]);
  }
  return { ...dimensions, ...Object.fromEntries(named) };
}

function everyCombination(wanted: Wanted): readonly Cell[] {
  const combined = Object.entries(wanted).reduce<readonly object[]>(
    (made, [name, values]) =>
      made.flatMap((some) => values.map((value) => ({ ...some, [name]: value }))),
    [{}],
  ) as readonly Cell[];
  const because = (cell: Cell): string | undefined =>
    impossible.find(({ cells }) =>
      Object.entries(cells).every(([name, value]) => cell[name as Dimension] === value),
    )?.because;
  const possible = combined.filter((cell) => because(cell) === undefined);
  const [first] = combined;
  if (possible.length === 0 && first !== undefined) {
    throw new Error(`--only: nothing is left: ${because(first)}`);
  }
  return possible;
}

function fits(cell: Cell, wanted: Wanted): boolean {
  return Object.entries(wanted).every(([name, values]) => values.includes(cell[name as Dimension]));
}

function isDimension(name: string): name is Dimension {
  return Object.hasOwn(dimensions, name);
}
