import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createAgent } from 'langchain';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asksFor, ScriptedModel, says } from '../support/scripted-model.js';
import { type Bundle, bundleProxy } from './bundle.js';
import { desk, Host } from './host.js';
import {
  directAndProxied,
  type PublicServer,
  publicServerNames,
  publicServers,
} from './public-servers.js';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleProxy();
});

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

/** As a host's configuration has it: the server, or the proxy before it; no registry, as a host begins. */
function commandOf({ args, env }: PublicServer, isProxied: boolean) {
  const guard = [bundle.program, '--ledger', desk().ledger, '--', process.execPath];
  return {
    command: process.execPath,
    args: [...(isProxied ? guard : []), ...args],
    env: { ...env },
    stderr: 'ignore' as const,
  };
}

describe.each(publicServerNames)('server-%s, through the proxy as directly', (name) => {
  it('for a host that speaks lines: byte for byte, but for what an error result means', async () => {
    const { direct, proxied } = await directAndProxied(
      `lines-${name}`,
      async (folder, isProxied) => {
        const server = publicServers(folder)[name];
        const at = desk();
        const host = new Host(
          { ...at, env: { ...at.env, ...server.env } },
          {
            bundle,
            server: [process.execPath, ...server.args],
            withRegistry: false,
            isDirect: !isProxied,
          },
        );
        open.push({ close: () => host.kill('SIGKILL') });
        await host.begin();
        const lines: string[] = [];
        for (const { method, params } of server.asking) {
          const { id } = await host.request(method, params);
          lines.push(host.lines.find((line) => JSON.parse(line).id === id) ?? '');
        }
        return lines;
      },
    );
    expect(proxied.map(resultIn)).toEqual(direct.map(resultIn));
    expect(direct.every((line) => JSON.parse(line).result !== undefined)).toBe(true);
  });

  it("for the SDK's client", async () => {
    const { direct, proxied } = await directAndProxied(`sdk-${name}`, async (folder, isProxied) => {
      const server = publicServers(folder)[name];
      const client = new Client({ name: 'test', version: '1' });
      open.push(client);
      await client.connect(new StdioClientTransport(commandOf(server, isProxied)));
      const answers: unknown[] = [client.getServerVersion(), client.getServerCapabilities()];
      for (const asked of server.asking) {
        const { _meta, ...answer } = await client.request({ ...asked }, ResultSchema);
        answers.push(answer);
      }
      return answers;
    });
    expect(proxied).toEqual(direct);
  });
});

describe("all four, for LangChain's adapters in an agent", () => {
  it('say the same to the model through the proxy as directly', async () => {
    const { direct, proxied } = await directAndProxied('agent', async (folder, isProxied) => {
      const servers = Object.entries(publicServers(folder));
      const adapters = new MultiServerMCPClient({
        mcpServers: Object.fromEntries(
          servers.map(([name, server]) => [name, commandOf(server, isProxied)]),
        ),
        prefixToolNameWithServerName: true,
      });
      open.push(adapters);
      const calls = servers.flatMap(([name, { asking }]) =>
        asking.flatMap(({ method, params }) =>
          method === 'tools/call' ? [{ name: `${name}__${params.name}`, params }] : [],
        ),
      );
      const model = new ScriptedModel([
        ...calls.map(({ name, params }, index) =>
          asksFor(name, params.arguments as Record<string, unknown>, `call ${index}`),
        ),
        says('done'),
      ]);
      const tools = await adapters.getTools();
      const agent = createAgent({ model, tools });
      const { messages } = await agent.invoke(
        { messages: 'Use all of it.' },
        { recursionLimit: 100 },
      );
      return {
        tools: tools.map(({ name, description, schema }) => ({ name, description, schema })),
        messages: messages.map(({ type, content }) => ({ type, content })),
      };
    });
    expect(direct.messages).toHaveLength(1 + 2 * 25 + 1);
    expect(proxied).toEqual(direct);
  });
});

/** The result as it was written; that of an error without what the guard says of it. */
function resultIn(line: string): string {
  return line
    .replace(/^.*?"result":/, '')
    .replace(/,"_meta":\{"dev\.holdfast\/failure":.*$/, '}}')
    .replace(/(,"jsonrpc":"2\.0","id":\d+)?\}$/, '');
}
