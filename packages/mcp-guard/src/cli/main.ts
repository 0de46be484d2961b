#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { runCheck } from './check-command.js';
import { readCommandLine } from './command-line.js';
import { runDraft } from './draft-command.js';
import { runProxy } from './run-proxy.js';

/** The package's own, at the same place beside the sources and beside what is built. */
const packageFile = new URL('../../package.json', import.meta.url);

async function run(argv: readonly string[]): Promise<number> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(packageFile, 'utf8')));
  const asked = readCommandLine(argv, version, process.env);
  switch (asked.asks) {
    case 'shown':
      return 0;
    case 'misuse':
      console.error(asked.message);
      return 2;
    case 'proxy':
      return runProxy(asked);
    case 'draft':
      return runDraft(asked.server, asked.settings);
    case 'check':
      return runCheck(asked.server, asked.settings);
  }
}

const code = await run(process.argv).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 2;
});
process.exit(code);
