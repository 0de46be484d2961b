import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const exitWithParent = new URL('exit-with-parent.ts', import.meta.url).href;
const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));

/**
 * Runs a TypeScript file as a process that does not outlive this one. The process is Node itself
 * with tsx loaded, not tsx's launcher around it, so that a signal meets the program.
 */
export function forkProgram(file: URL, args: string[], stdio: ForkOptions['stdio']): ChildProcess {
  return fork(file, args, {
    execArgv: ['--import', loader, '--import', exitWithParent],
    env: { ...process.env, TSX_TSCONFIG_PATH: tsconfig },
    stdio,
  });
}
