/** The crash table: kills agents at each point of a guarded call, lets others go on, and counts. */
import { cac } from 'cac';
import { z } from 'zod';
import { brokenBounds } from './bounds.js';
import { cellFilter } from './cell-filter.js';
import { allCells, dimensions } from './cells.js';
import { openCrashLab } from './crash-lab.js';
import { runTable } from './run-table.js';
import { textTable } from './text-table.js';

const cli = cac('crash-table');
cli
  .usage('[--json] [--only dimension=value,…]')
  .option('--json', 'Print one JSON document instead of a table')
  .option('--only <filter>', 'Only the cells that fit, such as agent=StateGraph,point=after-claim')
  .help((sections) => [
    ...sections,
    {
      title: 'Dimensions',
      body: Object.entries(dimensions)
        .map(([name, values]) => `  ${name.padEnd(12)}${values.join(', ')}`)
        .join('\n'),
    },
  ]);
const given = z
  .object({
    json: z.boolean().default(false),
    only: z.string().optional(),
    help: z.boolean().optional(),
  })
  .parse(cli.parse().options);

if (given.help !== true) process.exitCode = await main(given.json, given.only);

/** @returns the exit code: 1 when a bound is broken */
async function main(json: boolean, only: string | undefined): Promise<number> {
  const cells = only === undefined ? allCells : allCells.filter(cellFilter(only));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => process.exit(130));
  const lab = await openCrashLab();
  try {
    const table = await runTable(cells, lab, (line) => console.error(line));
    console.log(json ? JSON.stringify(table, null, 2) : textTable(table));
    const broken = brokenBounds(table);
    for (const line of broken) console.error(`BROKEN: ${line}`);
    return broken.length > 0 ? 1 : 0;
  } finally {
    await lab.close();
  }
}
