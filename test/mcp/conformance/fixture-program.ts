/** The fixture as a program: over standard input and output, or over HTTP, where it prints its address. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serveFixture } from './fixture-http.js';
import { fixtureServer } from './fixture-server.js';

if (process.argv.includes('--http')) {
  const { url } = await serveFixture();
  console.log(url);
} else {
  await fixtureServer().connect(new StdioServerTransport());
}
