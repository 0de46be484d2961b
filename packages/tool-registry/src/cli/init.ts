import { basename, resolve } from 'node:path';
import { langChainTools } from '../draft/langchain-tools.js';
import { type Draft, draftRegistry } from '../draft/registry-source.js';
import { draftForServer } from '../draft/server-draft.js';
import { writeDraft } from '../draft/write-draft.js';
import { liveTools } from '../live-server/live-tools.js';
import { loadModule, reasonOf } from '../load-module.js';
import type { InitSettings } from './command-line.js';
import type { ExitCode } from './exit-code.js';

/** Drafts a registry for tools that are there. */
export async function runInit({ source, out }: InitSettings): Promise<ExitCode> {
  const draft =
    source.of === 'server'
      ? await ofServer(source.mcp, source.header)
      : await ofModule(source.langchain);
  if ('problem' in draft) {
    console.error(draft.problem);
    return 2;
  }
  return (await writeDraft(draft, out)) ? 0 : 2;
}

type Problem = { readonly problem: string };

async function ofServer(server: string, header: readonly string[]): Promise<Draft | Problem> {
  const asked = await liveTools(server, header);
  if ('problem' in asked) return asked;
  const { name, definitions } = asked.live;
  return draftForServer(name, definitions);
}

async function ofModule(file: string): Promise<Draft | Problem> {
  let module: unknown;
  try {
    module = await loadModule(resolve(file));
  } catch (error) {
    return { problem: `${file}: ${reasonOf(error)}` };
  }
  const tools = langChainTools(module);
  if (tools.length === 0) return { problem: `${file}: it exports no LangChain tool` };
  const name = basename(file).split('.')[0] ?? file;
  return draftRegistry({ name, from: file, tools, isForeign: false });
}
