import { type Cell, dimensions } from './cells.js';

type Dimension = keyof typeof dimensions;

/**
 * Reads `agent=StateGraph,point=after-claim`; a dimension given twice takes both values.
 *
 * @throws Error that names what does not fit and what would
 */
export function cellFilter(text: string): (cell: Cell) => boolean {
  const wanted = new Map<Dimension, string[]>();
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=').map((word) => word.trim());
    if (!isDimension(name)) {
      throw new Error(`--only: “${name}” is none of ${Object.keys(dimensions).join(', ')}`);
    }
    const values: readonly string[] = dimensions[name];
    if (!values.includes(value)) {
      throw new Error(`--only: ${name} “${value}” is none of ${values.join(', ')}`);
    }
    wanted.set(name, [...(wanted.get(name) ?? []), value]);
  }
  return (cell) => [...wanted].every(([name, values]) => values.includes(cell[name]));
}

function isDimension(name: string): name is Dimension {
  return Object.hasOwn(dimensions, name);
}
