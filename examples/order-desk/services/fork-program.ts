import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const exitWithParent = new URL('exit-with-parent.ts', import.meta.url).href;
const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));

/**
 * Runs a TypeScript file as a process that does not outlive this one. The process is Node itself
 * with tsx loaded, not tsx's launcher around it, so that a signal meets the program.
 *
 * @param before a JavaScript file to load before tsx. Default: none
 */
export function forkProgram(
  file: URL,
  args: string[],
  stdio: ForkOptions['stdio'],
  before?: URL,
): ChildProcess {
  const loaded = [...(before ? [before.href] : []), loader, exitWithParent];
  return fork(file, args, {
    execArgv: loaded.flatMap((module) => ['--import', module]),
    env: { ...process.env, TSX_TSCONFIG_PATH: tsconfig },
    stdio,
  });
}
