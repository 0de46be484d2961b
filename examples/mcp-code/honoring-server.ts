import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { guardedRequest, honorGuard } from '@holdfast/mcp-guard';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

const server = new McpServer({ name: 'bills', version: '1' });
honorGuard(server, { ledger: sqliteLedger('bills.db') });

server.registerTool('pay', { inputSchema: { bill: z.string() } }, async ({ bill }, { signal }) => {
  const call = guardedRequest();
  const response = await fetch(`https://bank.example/pay/${bill}`, {
    method: 'POST',
    signal,
    headers: call?.idempotencyKey === undefined ? {} : { 'Idempotency-Key': call.idempotencyKey },
  });
  // Nothing was done, so the caller may try again.
  if (response.status === 409) call?.states('none');
  return { content: [{ type: 'text', text: await response.text() }], isError: !response.ok };
});

export { server };
