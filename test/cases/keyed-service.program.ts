/**
 * A service that is killed once, after its effect and before its answer: by HTTP, or as an MCP server.
 * Its folder holds the ledger, its effects, and while it has to die a file that says so.
 */
import { appendFileSync, existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { idempotencyMiddleware } from '@holdfast/call-guard';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { honorGuard } from '@holdfast/mcp-guard';
import { serve } from '@hono/node-server';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Hono } from 'hono';
import { z } from 'zod';

const [way, folder = '.'] = process.argv.slice(2);
const ledger = sqliteLedger(join(folder, 'ledger.db'));

/** The effect. */
function pay(bill: string): string {
  appendFileSync(join(folder, 'effects'), `${bill}\n`);
  const deadly = join(folder, 'die');
  if (existsSync(deadly)) {
    unlinkSync(deadly);
    process.kill(process.pid, 'SIGKILL');
  }
  return `paid ${bill}`;
}

if (way === 'http') {
  const idempotent = idempotencyMiddleware({ ledger });
  const app = new Hono();
  app.use((c, next) =>
    idempotent(c.req.raw, async () => {
      await next();
      return c.res;
    }),
  );
  app.post('/pay', async (c) => c.text(pay(await c.req.text())));
  serve({ fetch: app.fetch, port: 0 }, ({ port }) => console.log(port));
} else {
  const server = honorGuard(new McpServer({ name: 'bills', version: '1' }), { ledger });
  server.registerTool('pay', { inputSchema: { bill: z.string() } }, async ({ bill }) => ({
    content: [{ type: 'text', text: pay(bill) }],
  }));
  await server.connect(new StdioServerTransport());
}
