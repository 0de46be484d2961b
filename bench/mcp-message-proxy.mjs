/** A proxy of messages made of the SDK's two transports: the client that it starts a server with, and the server's. */
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const [command, ...args] = process.argv.slice(2);
const host = new StdioServerTransport();
const server = new StdioClientTransport({ command, args });
host.onmessage = (message) => server.send(message);
server.onmessage = (message) => host.send(message);
await server.start();
await host.start();
process.stdin.on('end', () => server.close());
