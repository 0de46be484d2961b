/**
 * A server of the SDK with one tool that says its arguments back, under two names: one of them is not declared.
 * Over standard input and output; with `--http` over HTTP, on a free port of this machine, where it prints its
 * address.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const tools = ['echo', 'undeclared_echo'].map((name) => ({
  name,
  description: 'Say it back.',
  inputSchema: { type: 'object' },
}));

function echo() {
  const server = new Server({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
  }));
  return server;
}

const sessions = new Map();

async function sessionOf(request) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known !== undefined) return known;
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await echo().connect(transport);
  return transport;
}

if (process.argv.includes('--http')) {
  const server = createServer(async (request, response) => {
    await (await sessionOf(request)).handleRequest(request, response);
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
  await echo().connect(new StdioServerTransport());
}
