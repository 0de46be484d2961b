import { isRecord } from '../record.js';
import { type Draft, draftRegistry } from './registry-source.js';

/**
 * Drafts a registry for what a live MCP server lists.
 *
 * @param server what it calls itself. How it was reached may hold a secret, and a draft is committed
 */
export function draftForServer(
  server: string,
  definitions: readonly Readonly<Record<string, unknown>>[],
): Draft {
  return draftRegistry({
    name: server,
    from: `the MCP server ${server}`,
    isForeign: true,
    tools: definitions.map(({ name, description, inputSchema, annotations }) => ({
      name: String(name),
      description: typeof description === 'string' ? description : undefined,
      inputSchema: inputSchema ?? {},
      annotations: isRecord(annotations) ? annotations : undefined,
    })),
  });
}
