/** What a host does with mcp.json: starts the guard before the server, and, on a bad day, sends a call twice. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { prepareDiary } from './diary.js';
import { guardedFiles } from './installed.js';

const folder = await prepareDiary();
const host = new Client({ name: 'host', version: '1.0.0' });
await host.connect(new StdioClientTransport(guardedFiles(folder)));

const edit = {
  name: 'edit_file',
  arguments: {
    path: join(folder, 'diary.txt'),
    edits: [{ oldText: 'coffee', newText: 'coffee and coffee' }],
  },
};
const answers = await Promise.all([host.callTool(edit), host.callTool(edit)]);
const read = { name: 'read_text_file', arguments: { path: join(folder, 'diary.txt') } };
const { structuredContent } = await host.callTool(read);
await host.close();

console.log(
  JSON.stringify({
    diary: structuredContent,
    failed: answers.filter(({ isError }) => isError === true).length,
    folded: answers.filter(({ _meta }) => _meta?.['dev.holdfast/folded'] !== undefined).length,
  }),
);
