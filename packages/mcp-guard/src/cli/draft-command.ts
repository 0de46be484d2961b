import { createSystemClock } from '@holdfast/call-guard';
import { draftForServer, writeDraft } from '@holdfast/tool-registry/draft';
import type { CAC } from 'cac';
import { z } from 'zod';
import { liveTools } from '../live/live-tools.js';
import { connectorTo } from './connector.js';
import { text } from './option-values.js';
import { serverEnv } from './server-env.js';
import { addServerOptions, nameOf, type ServerPlace } from './server-place.js';

export const draftSettings = z.object({ out: text('--out', 'a file').optional() });
export type DraftSettings = z.output<typeof draftSettings>;

export function addDraftCommand(cli: CAC): void {
  const command = cli
    .command('draft', 'Draft a registry for a server, with a TODO for each open question')
    .usage('draft [options] -- <command of the server> [its arguments]')
    .option('--out <file>', 'Write to this new file (default: tools.registry.ts)')
    .example('  mcp-guard draft -- npx -y @modelcontextprotocol/server-filesystem /data');
  addServerOptions(command);
}

/** Drafts a registry for what a server lists. */
export async function runDraft(server: ServerPlace, { out }: DraftSettings): Promise<number> {
  const clock = createSystemClock();
  const asked = await liveTools(
    connectorTo(server, serverEnv(process.env, undefined), clock),
    clock,
    (said) => process.stderr.write(said),
  );
  if ('problem' in asked) {
    console.error(`${nameOf(server)}: ${asked.problem}`);
    return 1;
  }
  const { name, tools } = asked.live;
  const definitions = tools.map(({ definition }) => definition);
  const draft = draftForServer(name, definitions);
  return (await writeDraft(draft, out)) ? 0 : 2;
}
