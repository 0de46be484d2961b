import { type Draft, draftRegistry } from './registry-source.js';

/** Drafts a registry for what a live MCP server lists. */
export function draftForServer(
  server: string,
  from: string,
  definitions: readonly Readonly<Record<string, unknown>>[],
): Draft {
  return draftRegistry({
    name: server,
    from,
    isForeign: true,
    tools: definitions.map(({ name, description, inputSchema, annotations }) => ({
      name: String(name),
      description: typeof description === 'string' ? description : undefined,
      inputSchema: inputSchema ?? {},
      annotations: isRecord(annotations) ? annotations : undefined,
    })),
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
