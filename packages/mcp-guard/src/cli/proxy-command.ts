import type { CAC } from 'cac';
import { z } from 'zod';
import { addHostOptions } from './host-place.js';
import { logLevels } from './log-sink.js';
import { byteCap, choice, flag, names, text } from './option-values.js';
import { addServerOptions } from './server-place.js';

/** The options of the proxy itself, for which no command is named. */
export const proxySettings = z
  .object({
    registry: text('--registry', 'a file').optional(),
    ledger: text('--ledger', 'a file').optional(),
    name: text('--name', 'a name').optional(),
    events: text('--events', 'a file').optional(),
    mode: choice('--mode', ['enforce', 'shadow', 'off']).default('enforce'),
    pinned: choice('--pinned', ['warn', 'block']).optional(),
    lock: text('--lock', 'a file').optional(),
    // As much as the ledger keeps of a result, so that an equal call can be given what was cut.
    maxResult: byteCap('--max-result', 4_096, 64 * 1024 * 1024).default(65_536),
    readResult: flag('--read-result').default(false),
    env: names('--env').optional(),
    logLevel: choice('--log-level', logLevels).default('warn'),
    trustAnnotations: flag('--trust-annotations').default(false),
    toolNames: choice('--tool-names', ['taken-by-all', 'own']).default('taken-by-all'),
  })
  .refine(
    ({ pinned, lock, registry }) => pinned === undefined || (lock ?? registry) !== undefined,
    {
      error: '--pinned needs the lock file: --lock <file>, or a --registry with one beside it.',
    },
  )
  .refine(({ pinned, lock }) => lock === undefined || pinned !== undefined, {
    error: '--lock is for --pinned: say warn or block.',
  });
export type ProxySettings = z.output<typeof proxySettings>;

export function addProxyCommand(cli: CAC): void {
  const command = cli
    .command('', 'Stand before an MCP server and guard the calls of its tools')
    .usage('[options] -- <command of the server> [its arguments]')
    .option('--registry <file>', 'What the tools promise; without one all are treated as unknown')
    .option(
      '--ledger <file>',
      "Where effects are written down (default: in the user's state folder)",
    )
    .option(
      '--name <name>',
      'What the server is called in the ledger (default: its command or address)',
    )
    .option('--mode <mode>', 'enforce, shadow (judge and record only), off (default: enforce)')
    .option(
      '--pinned <what>',
      'warn or block: what becomes of tools that are not as they were reviewed',
    )
    .option('--lock <file>', 'What was reviewed (default: registry.lock.json beside the registry)')
    .option('--events <file>', 'Append events to this file, a JSON line each')
    .option('--max-result <bytes>', 'Cut what is longer; 0 for no limit (default: 65536)')
    .option('--read-result', 'Keep what is cut for a day, and give the host a tool that reads it')
    .option(
      '--trust-annotations',
      'A tool without an entry that the server says only reads is a read',
    )
    .option(
      '--tool-names <which>',
      'taken-by-all: names that some models refuse get another one; own (default: taken-by-all)',
    )
    .option('--env <names>', "Of the host's variables the server gets these only: A,B")
    .option('--log-level <level>', `${logLevels.join(', ')} (default: warn)`)
    .example('  mcp-guard -- npx -y @modelcontextprotocol/server-filesystem /data')
    .example('  mcp-guard --registry tools.registry.ts -- node server.mjs')
    .example("  mcp-guard --upstream https://host/mcp --header 'Authorization: Bearer env:TOKEN'")
    .example('  mcp-guard --http 127.0.0.1:8931 -- node server.mjs');
  addServerOptions(command);
  addHostOptions(command);
}
