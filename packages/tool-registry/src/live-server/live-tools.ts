import { z } from 'zod';
import { readHeaders } from './header-option.js';
import { splitCommand } from './split-command.js';

/** What a live MCP server says of itself and of its tools. */
export interface LiveTools {
  /** What it calls itself. */
  readonly name: string;
  /** Its tools, each as it wrote it. */
  readonly definitions: readonly Readonly<Record<string, unknown>>[];
}

/** As many pages as are read: a cursor that goes on for longer leads nowhere. */
const MOST_PAGES = 64;

// Loose, so that nothing of a definition is lost and none of them spoils the others.
const page = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string() })),
  nextCursor: z.string().optional(),
});

/**
 * Asks a server for its tools. It is started for that, if it is a command, and ended again.
 *
 * @param server `npx some-server`, as on a command line, or the address of a server: `https://…`
 * @param header what an address needs to be reached, each as `Name: value`
 */
export async function liveTools(
  server: string,
  header: readonly string[],
): Promise<{ readonly live: LiveTools } | { readonly problem: string }> {
  const sdk = await import('./sdk.js').catch(notInstalled);
  if ('problem' in sdk) return sdk;
  const read = readHeaders(header, process.env);
  if ('problem' in read) return read;
  const isAddress = /^https?:\/\//.test(server);
  if (header.length > 0 && !isAddress) {
    return { problem: `--header is for a server at an address, and --mcp ${server} is a command` };
  }
  const transport = isAddress
    ? new sdk.StreamableHTTPClientTransport(new URL(server), { requestInit: read })
    : programOf(server, sdk);
  if (transport === undefined) {
    return { problem: `--mcp ${server}: it is neither a command nor an address` };
  }
  const client = new sdk.Client({ name: 'tool-registry', version: '0.1.0' });
  try {
    // Its types leave out that an optional member may be undefined.
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    const definitions: Readonly<Record<string, unknown>>[] = [];
    const cursors = new Set<string | undefined>();
    let cursor: string | undefined;
    do {
      cursors.add(cursor);
      const { tools, nextCursor } = await client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        page,
      );
      definitions.push(...tools);
      cursor = nextCursor;
    } while (cursor !== undefined && !cursors.has(cursor) && cursors.size < MOST_PAGES);
    return { live: { name: client.getServerVersion()?.name ?? server, definitions } };
  } catch (error) {
    return { problem: `${server}: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    // The server need not keep the session until it is tired of it; one that ends none has its own way.
    if ('terminateSession' in transport) await transport.terminateSession().catch(() => {});
    await client.close();
  }
}

type Sdk = typeof import('./sdk.js');

function programOf(server: string, { StdioClientTransport }: Sdk) {
  const words = splitCommand(server);
  if (words === undefined) return undefined;
  const [command, ...args] = words;
  // Its keys are there; by itself the SDK would hand on next to nothing.
  return new StdioClientTransport({ command, args, env: environment(), stderr: 'inherit' });
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

function notInstalled(error: unknown): { readonly problem: string } {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) {
    throw error;
  }
  return {
    problem:
      '--mcp asks the server by @modelcontextprotocol/sdk, which is not installed. Install it beside this package: npm install --save-dev @modelcontextprotocol/sdk',
  };
}
