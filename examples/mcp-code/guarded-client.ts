import { createGuard } from '@holdfast/call-guard';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { failureOf, guardClient, mcpFetch } from '@holdfast/mcp-guard';
import type { Registry } from '@holdfast/tool-registry';
import { loadMcpTools } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The tools of a server for an agent, and one call of a program's own. */
export async function filesOf(registry: Registry, url: URL) {
  const guard = createGuard({ registry, ledger: sqliteLedger('agent.db') });
  const transport = () => new StreamableHTTPClientTransport(url, { fetch: mcpFetch() });
  const client = guardClient(new Client({ name: 'agent', version: '1' }), {
    guard,
    server: 'files',
    transport,
  });
  await client.connect(transport());

  const result = await client.callTool({
    name: 'write_file',
    arguments: { path: 'a', content: 'b' },
  });
  const failure = failureOf(result);
  if (failure?.effect === 'unknown') console.log('Somebody has to look:', failure.kind);

  return loadMcpTools('files', client);
}
