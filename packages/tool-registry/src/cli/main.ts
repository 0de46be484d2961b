#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { runCheck } from './check.js';
import { readCommandLine } from './command-line.js';
import { runDocs } from './docs.js';
import type { ExitCode } from './exit-code.js';
import { runInit } from './init.js';
import { runDiff, runLock } from './lock.js';

/** The package's own, at the same place beside the sources and beside what is built. */
const packageFile = new URL('../../package.json', import.meta.url);

async function run(argv: readonly string[]): Promise<ExitCode> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(packageFile, 'utf8')));
  const asked = readCommandLine(argv, version);
  switch (asked.asks) {
    case 'shown':
      return 0;
    case 'misuse':
      console.error(asked.message);
      return 2;
    case 'check':
      return runCheck(asked.files, asked.settings);
    case 'docs':
      return runDocs(asked.files, asked.settings);
    case 'init':
      return runInit(asked.settings);
    case 'lock':
      return runLock(asked.files, asked.settings);
    case 'diff':
      return runDiff(asked.files, asked.settings);
  }
}

const written = (stream: NodeJS.WriteStream) =>
  new Promise<void>((resolve) => stream.write('', () => resolve()));

// A reader such as `head` may have seen enough.
process.stdout.on('error', () => process.exit());
const code = await run(process.argv).catch((error: unknown): ExitCode => {
  console.error(error instanceof Error ? error.message : String(error));
  return 2;
});
// A registry file may have opened what keeps a program alive, such as a database.
await Promise.all([written(process.stdout), written(process.stderr)]);
process.exit(code);
