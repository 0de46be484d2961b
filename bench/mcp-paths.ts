import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { medianOf, type Round, type Work } from './paired-rounds.js';
import { type BenchResult, type Bound, resultOf } from './result.js';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const find = createRequire(import.meta.url).resolve;

/** What a client starts that wants the echo server. */
export const echoServer = [process.execPath, here('mcp-echo-server.mjs')] as const;

/** A proxy that only passes lines on. */
export const lineProxy = [process.execPath, here('mcp-line-proxy.mjs'), ...echoServer] as const;

/** A proxy that passes messages on, between the SDK's own transports. */
export const messageProxy = [
  process.execPath,
  here('mcp-message-proxy.mjs'),
  ...echoServer,
] as const;

/** The guard as it is built, with the echo declared as a read. */
export function guardCommand(folder: string, ...options: readonly string[]): readonly string[] {
  const ledger = ['--ledger', join(folder, 'ledger.db')];
  const registry = ['--registry', here('mcp-echo.registry.ts')];
  return [
    process.execPath,
    programOf('@holdfast/mcp-guard', 'mcp-guard'),
    ...ledger,
    ...registry,
    ...options,
  ];
}

/** The file behind a command of a package. */
export function programOf(name: string, command: string): string {
  const file = find(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin: Record<string, string> };
  return join(dirname(file), bin[command] ?? '');
}

/** A client of the SDK, as hosts have it, before a server that it starts. */
export function startedClient(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Client> {
  return connected(
    new StdioClientTransport({
      command,
      args,
      env: { ...getDefaultEnvironment(), ...env },
      stderr: 'ignore',
    }),
  );
}

export async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

/** Calls of a tool, one after the other, no two of them alike. */
export function calls(client: Client, name: string): Work {
  let made = 0;
  return async (count) => {
    for (let left = count; left > 0; left -= 1) {
      made += 1;
      await client.callTool({ name, arguments: { n: made } });
    }
  };
}

/** The middle of what calls take on two paths, in the same rounds. */
export function compared<N extends string>(
  name: string,
  rounds: readonly Round<N>[],
  ours: N,
  peer: N,
  peerName: string,
  bound: Bound,
): BenchResult {
  return resultOf(
    {
      name: `${name}, p50`,
      ours: medianOf(rounds, (round) => round[ours]),
      peer: medianOf(rounds, (round) => round[peer]),
      peerName,
      unit: 'µs',
    },
    bound,
    medianOf(rounds, (round) => round[ours] / round[peer]),
  );
}
