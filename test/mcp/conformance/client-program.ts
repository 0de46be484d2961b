/**
 * A client for the suite's client scenarios: begins, lists the tools, calls each with numbers for what it wants to
 * know. With `--guarded` through guardClient. The suite adds the server's address.
 */
import { createGuard } from '@holdfast/call-guard';
import { memoryLedger } from '@holdfast/effect-ledger';
import { guardClient } from '@holdfast/mcp-guard';
import { defineRegistry } from '@holdfast/tool-registry';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const url = new URL(process.argv.at(-1) ?? '');
const client = new Client({ name: 'holdfast-conformance-client', version: '1.0.0' });
if (process.argv.includes('--guarded')) {
  const registry = defineRegistry({ name: 'none', tools: [], resourceGroups: {} });
  guardClient(client, {
    guard: createGuard({ registry, ledger: memoryLedger() }),
    server: 'conformance',
  });
}
await client.connect(new StreamableHTTPClientTransport(url));
// A server that lists none says what it can by its capabilities.
if (client.getServerCapabilities()?.tools !== undefined) {
  const { tools } = await client.listTools();
  for (const { name, inputSchema } of tools) {
    const wanted = Object.keys(inputSchema.properties ?? {});
    const args = Object.fromEntries(wanted.map((property, index) => [property, index + 5]));
    const result = await client.callTool({ name, arguments: args });
    if (result.isError === true) throw new Error(JSON.stringify(result));
  }
}
await client.close();
