import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const tsconfig = fileURLToPath(new URL('../tsconfig.json', import.meta.url));

/** How a program ended. */
export interface StrictEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a TypeScript program in a process of its own that an unhandled rejection ends. */
export function runStrictly(program: URL, ...args: readonly string[]): Promise<StrictEnd> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--unhandled-rejections=strict', '--import', loader, fileURLToPath(program), ...args],
      { env: { ...process.env, TSX_TSCONFIG_PATH: tsconfig }, timeout: 60_000 },
      (error, stdout, stderr) => {
        const exitCode = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
        resolve({ exitCode, stdout, stderr });
      },
    );
  });
}
