import {
  calls,
  compared,
  echoServer,
  guardCommand,
  lineProxy,
  messageProxy,
  startedClient,
} from './mcp-paths.js';
import { medianMicroseconds, pairedRounds } from './paired-rounds.js';
import type { BenchResult } from './result.js';
import { inFolder } from './temporary-folder.js';

const LINES = 'a proxy that passes lines on, unread';
const MESSAGES = "a proxy that passes messages on between the SDK's transports";

/**
 * Calls of an echo tool over standard input and output, through the guard beside proxies that guard nothing.
 * What is held to a bound is the echo as a declared read, which is what most calls are: the guard reads it,
 * checks and judges it, and writes nothing down. It is held to the proxy that reads messages too; what lines
 * alone cost stands beside.
 */
export function mcpStdio(scale: number): Promise<readonly BenchResult[]> {
  return inFolder(async (folder) => {
    const [direct, lines, messages, guarded] = await Promise.all(
      [echoServer, lineProxy, messageProxy, guardCommand(folder, '--', ...echoServer)].map(
        (command) => startedClient(command),
      ),
    );
    if (!direct || !lines || !messages || !guarded) throw new Error('not every path has begun');
    const rounds = await pairedRounds(
      {
        direct: calls(direct, 'echo'),
        lines: calls(lines, 'echo'),
        messages: calls(messages, 'echo'),
        read: calls(guarded, 'echo'),
        undeclared: calls(guarded, 'undeclared_echo'),
        messagesPing: pings(messages),
        ping: pings(guarded),
      },
      { rounds: 5 * scale, count: 50, warmUp: 10 * scale, timeOf: medianMicroseconds },
    );
    await Promise.all([direct, lines, messages, guarded].map((client) => client.close()));
    const read = 'mcp stdio, echo declared as a read';
    return [
      compared(read, rounds, 'read', 'messages', MESSAGES, { ratioAtMost: 1.3 }),
      compared(read, rounds, 'read', 'lines', LINES, 'none'),
      compared(read, rounds, 'read', 'direct', 'no proxy', 'none'),
      compared('mcp stdio, undeclared echo', rounds, 'undeclared', 'messages', MESSAGES, 'none'),
      compared('mcp stdio, ping', rounds, 'ping', 'messagesPing', MESSAGES, 'none'),
    ];
  });
}

function pings(client: Awaited<ReturnType<typeof startedClient>>) {
  return async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 1) await client.ping();
  };
}
