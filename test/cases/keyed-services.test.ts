/** The other half of an idempotency key: services that do a key's work once, and are killed in the middle of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it } from 'vitest';

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const tsconfig = fileURLToPath(new URL('../tsconfig.json', import.meta.url));
const program = fileURLToPath(new URL('./keyed-service.program.ts', import.meta.url));
const env = { ...process.env, TSX_TSCONFIG_PATH: tsconfig } as Record<string, string>;

/** What a service has in its folder: its effects so far. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-keyed-'));
  writeFileSync(join(folder, 'die'), '');
  return { folder, effects: () => readFileSync(join(folder, 'effects'), 'utf8').split('\n') };
}

async function httpService(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const args = ['--import', loader, program, 'http', folder];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return { child, url: `http://127.0.0.1:${String(port).trim()}/pay` };
}

it('an HTTP service that was killed after the effect does not have it again, and says that nobody knows', async () => {
  const { folder, effects } = place();
  const post = (url: string, bill: string, key: string) =>
    fetch(url, { method: 'POST', body: bill, headers: { 'Idempotency-Key': key } });
  const first = await httpService(folder);
  const ended = once(first.child, 'exit');
  await expect(post(first.url, 'b1', 'k1')).rejects.toThrow();
  await ended;
  const second = await httpService(folder);
  try {
    const again = await post(second.url, 'b1', 'k1');
    expect([again.status, await again.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'outcome_unknown' }),
    ]);
    const other = await post(second.url, 'b2', 'k2');
    const replayed = await post(second.url, 'b2', 'k2');
    expect([await other.text(), await replayed.text()]).toEqual(['paid b2', 'paid b2']);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(effects()).toEqual(['b1', 'b2', '']);
  } finally {
    second.child.kill();
  }
});

it('an MCP server that was killed after the effect does not have it again, and says that nobody knows', async () => {
  const { folder, effects } = place();
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    const args = ['--import', loader, program, 'mcp', folder];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    return client;
  };
  const pay = (client: Client, bill: string, key: string) =>
    client.callTool({
      name: 'pay',
      arguments: { bill },
      _meta: { 'dev.holdfast/idempotency-key': key },
    });
  await expect(pay(await connect(), 'b1', 'k1')).rejects.toThrow(/closed/i);
  const client = await connect();
  try {
    expect(await pay(client, 'b1', 'k1')).toMatchObject({
      isError: true,
      _meta: {
        'dev.holdfast/effect': 'unknown',
        'dev.holdfast/failure': { kind: 'outcome_unknown' },
      },
    });
    expect(await pay(client, 'b2', 'k2')).toMatchObject({
      content: [{ type: 'text', text: 'paid b2' }],
    });
    expect(effects()).toEqual(['b1', 'b2', '']);
  } finally {
    await client.close();
  }
});
