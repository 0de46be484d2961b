import { createSystemClock } from '@holdfast/call-guard';
import type { CAC } from 'cac';
import { z } from 'zod';
import { liveTools } from '../live/live-tools.js';
import { registryFindings } from '../live/registry-findings.js';
import { connectorTo } from './connector.js';
import { flag, text } from './option-values.js';
import { readReviewedServer } from './read-lock-file.js';
import { readRegistry } from './read-registry.js';
import { serverEnv } from './server-env.js';
import { addServerOptions, nameOf, type ServerPlace } from './server-place.js';

export const checkSettings = z.object({
  registry: text('--registry', 'a file'),
  lock: text('--lock', 'a file').optional(),
  json: flag('--json').default(false),
});
export type CheckSettings = z.output<typeof checkSettings>;

export function addCheckCommand(cli: CAC): void {
  const command = cli
    .command('check', 'Hold a registry against the tools that a server lists now')
    .usage('check --registry <file> [options] -- <command of the server> [its arguments]')
    .option('--registry <file>', 'The registry')
    .option('--lock <file>', 'What was reviewed (default: registry.lock.json, if it is there)')
    .option('--json', 'Print the findings as JSON')
    .example('  mcp-guard check --registry tools.registry.ts -- node server.mjs');
  addServerOptions(command);
}

/** Prints where a registry and a live server do not agree. */
export async function runCheck(
  server: ServerPlace,
  { registry: file, lock, json }: CheckSettings,
): Promise<number> {
  const read = await readRegistry(file);
  if ('problem' in read) return misused(read.problem);
  const reviewed = await readReviewedServer(lock, file);
  if ('problem' in reviewed) return misused(reviewed.problem);
  if ('missing' in reviewed && lock !== undefined) return misused(reviewed.missing);
  const clock = createSystemClock();
  const asked = await liveTools(
    connectorTo(server, serverEnv(process.env, undefined), clock),
    clock,
    (said) => process.stderr.write(said),
  );
  if ('problem' in asked) return misused(`${nameOf(server)}: ${asked.problem}`);
  const pinned = 'server' in reviewed ? reviewed.server.tools : undefined;
  const findings = registryFindings(read.registry, asked.live.tools, pinned);
  if (json) console.log(JSON.stringify(findings, null, 2));
  else for (const { tool, rule, message } of findings) console.log(`${tool}: ${rule}: ${message}`);
  return findings.length === 0 ? 0 : 1;
}

function misused(problem: string): number {
  console.error(problem);
  return 2;
}
