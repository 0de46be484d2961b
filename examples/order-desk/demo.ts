/**
 * `npm run demo`: a stock agent and a guarded one under the same faults. This file only loads the
 * program so that it sees the packages' sources, built or not, from whichever folder it is started.
 */
import { fileURLToPath } from 'node:url';
import { tsImport } from 'tsx/esm/api';

const program: typeof import('./demo/command-line.js') = await tsImport('./demo/command-line.ts', {
  parentURL: import.meta.url,
  tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)),
});
process.exitCode = await program.runCommandLine(process.argv);
