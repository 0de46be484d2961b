/** The crash table: kills agents at each point of a guarded call, lets others go on, and counts. */
import { writeFileSync } from 'node:fs';
import { cac } from 'cac';
import { z } from 'zod';
import { brokenBounds } from './bounds.js';
import { chosenCells } from './cell-filter.js';
import { dimensions } from './cells.js';
import { openCrashLab } from './crash-lab.js';
import { crashPage, pageFile } from './crash-page.js';
import { runTable } from './run-table.js';
import { textTable } from './text-table.js';

const cli = cac('crash-table');
cli
  .usage('[--json] [--write] [--only dimension=value,…]')
  .option('--json', 'Print one JSON document instead of a table')
  .option('--write', 'Write docs/crash-table.md from this run, if no cell breaks its promise')
  .option('--only <filter>', 'Only the cells that fit, such as agent=entrypoint,point=after-claim')
  .help((sections) => [
    ...sections,
    {
      title: 'Dimensions',
      body: Object.entries(dimensions)
        .map(([name, values]) => `  ${name.padEnd(12)}${values.join(', ')}`)
        .join('\n'),
    },
    { title: 'Exit code', body: '  1 when a cell does not keep what the table promises' },
  ]);
const given = z
  .object({
    json: z.boolean().default(false),
    write: z.boolean().default(false),
    only: z.string().optional(),
    help: z.boolean().optional(),
  })
  .parse(cli.parse().options);

if (given.help !== true) process.exitCode = await main(given);

/** @returns the exit code: 1 when a bound is broken */
async function main({ json, write, only }: typeof given): Promise<number> {
  if (write && only !== undefined) throw new Error('--write: the page shows the whole table');
  const cells = chosenCells(only);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => process.exit(130));
  const lab = await openCrashLab();
  try {
    const table = await runTable(cells, 'with stock agents', lab, (line) => console.error(line));
    console.log(json ? JSON.stringify(table, null, 2) : textTable(table));
    const broken = brokenBounds(table);
    for (const line of broken) console.error(`BROKEN: ${line}`);
    if (write && broken.length === 0) writeFileSync(pageFile, crashPage(table));
    return broken.length > 0 ? 1 : 0;
  } finally {
    await lab.close();
  }
}
