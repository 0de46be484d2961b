/** What is left of a server one second after the end of the proxy before it, however it ended. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cac } from 'cac';
import { bundleProxy } from './bundle.js';
import { endProxy, orphanCells } from './orphan-cells.js';

const cli = cac('npm run orphans --');
cli
  .command('', 'End the proxy in each way, before each kind of server, and count what is left')
  .option('--json', 'Print one JSON document instead of a table')
  .action(async ({ json = false }: { json?: boolean }) => {
    const bundle = await bundleProxy();
    const cells = [];
    for (const cell of orphanCells) {
      const { started, left } = await endProxy(cell, bundle);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const leftAfter1s = await left();
      cells.push({ ...cell, leftAfter1s });
      console.error(`${cell.child}, ended by ${cell.ended}: ${leftAfter1s} of ${started} left`);
    }
    await rm(dirname(bundle.program), { recursive: true, force: true });
    if (json) console.log(JSON.stringify({ cells }, null, 2));
    else console.table(cells);
    process.exitCode = cells.every(({ leftAfter1s }) => leftAfter1s === 0) ? 0 : 1;
  });
cli.help();
cli.parse();
