import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleProxy } from './bundle.js';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProxy();
});

const open: Client[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

const find = createRequire(import.meta.url).resolve;

/** A client of the SDK before a server, directly or through the proxy; no registry, as a host begins. */
async function clientOf(server: readonly string[], ledger: string | undefined): Promise<Client> {
  const [command = '', ...args] = [
    ...(ledger === undefined ? [] : [process.execPath, bundle.program, '--ledger', ledger, '--']),
    process.execPath,
    ...server,
  ];
  const client = new Client({ name: 'test', version: '1' });
  open.push(client);
  await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
  return client;
}

/** What a client learns and does with each, in this order. */
async function both<T>(
  server: (folder: string) => readonly string[],
  work: (client: Client, folder: string) => Promise<T>,
): Promise<{ readonly direct: T; readonly proxied: T }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-real-')));
  await writeFile(join(folder, 'note.txt'), 'first line\nsecond line\n');
  const ledgers = await mkdtemp(join(tmpdir(), 'holdfast-real-ledger-'));
  const direct = await work(await clientOf(server(folder), undefined), folder);
  const proxied = await work(await clientOf(server(folder), join(ledgers, 'ledger.db')), folder);
  return { direct, proxied };
}

describe('public servers, through the proxy as directly', () => {
  it('server-filesystem', async () => {
    const { direct, proxied } = await both(
      (folder) => [find('@modelcontextprotocol/server-filesystem/dist/index.js'), folder],
      async (client, folder) => ({
        server: client.getServerVersion(),
        tools: await client.listTools(),
        // Twice the same: what was written directly is there already.
        write: await client.callTool({
          name: 'write_file',
          arguments: { path: join(folder, 'new.txt'), content: 'new' },
        }),
        list: await client.callTool({ name: 'list_directory', arguments: { path: folder } }),
        read: await client.callTool({
          name: 'read_text_file',
          arguments: { path: join(folder, 'note.txt'), head: 1 },
        }),
      }),
    );
    expect(proxied).toEqual(direct);
  });

  it('server-filesystem: what it refuses', async () => {
    const { direct, proxied } = await both(
      (folder) => [find('@modelcontextprotocol/server-filesystem/dist/index.js'), folder],
      (client) => client.callTool({ name: 'read_text_file', arguments: { path: '/etc/passwd' } }),
    );
    expect(proxied.content).toEqual(direct.content);
    expect(proxied.isError).toBe(true);
  });

  it('server-memory', async () => {
    const { direct, proxied } = await both(
      () => [find('@modelcontextprotocol/server-memory/dist/index.js')],
      async (client) => ({
        tools: await client.listTools(),
        found: await client.callTool({ name: 'search_nodes', arguments: { query: 'nobody' } }),
      }),
    );
    expect(proxied).toEqual(direct);
  });
});
