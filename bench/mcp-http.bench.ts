import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  calls,
  compared,
  connected,
  echoServer,
  guardCommand,
  programOf,
  startedClient,
} from './mcp-paths.js';
import { medianMicroseconds, pairedRounds } from './paired-rounds.js';
import type { BenchResult } from './result.js';
import { inFolder } from './temporary-folder.js';

/**
 * Calls of an echo tool, declared as a read, through the guard beside the two proxies of npm that stand at the
 * same place: `mcp-proxy` before a server that is a program, for a host that speaks HTTP, and `mcp-remote` before
 * a server that speaks HTTP, for a host that starts programs.
 */
export function mcpHttp(scale: number): Promise<readonly BenchResult[]> {
  return inFolder(async (folder) => {
    const started: ChildProcess[] = [];
    const start = (command: readonly string[]): ChildProcess => {
      const [program = '', ...args] = command;
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      started.push(child);
      return child;
    };
    try {
      return [
        ...(await beforeProgram(start, folder, scale)),
        ...(await beforeHttp(start, folder, scale)),
      ];
    } finally {
      for (const child of started) child.kill();
    }
  });
}

type Start = (command: readonly string[]) => ChildProcess;

async function beforeProgram(start: Start, folder: string, scale: number) {
  const [oursAt, peerAt] = [await freePort(), await freePort()];
  start(guardCommand(folder, '--http', `127.0.0.1:${oursAt}`, '--', ...echoServer));
  const port = ['--port', String(peerAt), '--host', '127.0.0.1', '--server', 'stream'];
  start([process.execPath, programOf('mcp-proxy', 'mcp-proxy'), ...port, '--', ...echoServer]);
  return measured('mcp HTTP to stdio', 'npm mcp-proxy 6.7.19', scale, {
    ours: await reached(oursAt),
    peer: await reached(peerAt),
  });
}

async function beforeHttp(start: Start, folder: string, scale: number) {
  const server = start([...echoServer, '--http']);
  if (server.stdout === null) throw new Error('the echo server has no output');
  const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const remote = [process.execPath, programOf('mcp-remote', 'mcp-remote'), url];
  return measured('mcp stdio to HTTP', 'npm mcp-remote 0.15.1', scale, {
    ours: await startedClient(guardCommand(folder, '--upstream', url)),
    peer: await startedClient([...remote, '--transport', 'http-only'], {
      MCP_REMOTE_CONFIG_DIR: folder,
    }),
  });
}

async function measured(
  name: string,
  peerName: string,
  scale: number,
  { ours, peer }: { readonly ours: Client; readonly peer: Client },
): Promise<readonly BenchResult[]> {
  const rounds = await pairedRounds(
    { ours: calls(ours, 'echo'), peer: calls(peer, 'echo') },
    { rounds: 2 * scale, count: 40, warmUp: 4 * scale, timeOf: medianMicroseconds },
  );
  await Promise.all([ours.close(), peer.close()]);
  return [
    compared(`${name}, echo declared as a read`, rounds, 'ours', 'peer', peerName, {
      ratioAtMost: 1,
    }),
  ];
}

/** A client, as soon as what was started listens. */
async function reached(port: number): Promise<Client> {
  for (let left = 200; ; left -= 1) {
    try {
      return await connected(
        new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)),
      );
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
