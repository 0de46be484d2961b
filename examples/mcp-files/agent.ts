/** A LangGraph agent with the tools of the same server, guarded inside of the agent's own process. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryLedger } from '@holdfast/effect-ledger';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { guardMiddleware } from '@holdfast/langgraph-resilience/middleware';
import { guardClient } from '@holdfast/mcp-guard';
import { MemorySaver } from '@langchain/langgraph';
import { loadMcpTools } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createAgent } from 'langchain';
import { prepareDiary } from './diary.js';
import registry from './files.registry.js';
import { fileServer } from './installed.js';
import { model } from './scripted-model.js';

const folder = await prepareDiary();
// A file outlives a crash: sqliteLedger('agent.db') from @holdfast/effect-ledger/sqlite.
const guard = createLangGraphGuard({ registry, ledger: memoryLedger() });

const client = guardClient(new Client({ name: 'agent', version: '1.0.0' }), {
  guard,
  server: 'files',
});
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileServer, folder],
    stderr: 'ignore',
  }),
);

const agent = createAgent({
  model: model(join(folder, 'diary.txt')),
  tools: await loadMcpTools('files', client),
  middleware: [guardMiddleware(guard)],
  checkpointer: guard.checkpointer(new MemorySaver()),
});
const config = { configurable: { thread_id: 'T1' } };
const { report, output } = await guard.run(agent, { messages: 'I had another coffee.' }, config);
await client.close();
await guard.close();

console.log(
  JSON.stringify({
    status: report.status,
    diary: await readFile(join(folder, 'diary.txt'), 'utf8'),
    said: output?.messages.at(-1)?.text,
  }),
);
