import type { Readable, Writable } from 'node:stream';
import type { Guard } from '@holdfast/call-guard';
import { LineFramer } from '../message/line-framer.js';
import { GuardedSession } from '../proxy/session.js';
import { StdioServer } from './stdio-server.js';

export interface StdioProxyOptions {
  readonly guard: Guard;
  /** What the server is called; its effects belong to this name. */
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Writable;
}

/** How a proxy ended: its host went away, or the server never came to work. */
export type ProxyEnd =
  | { readonly ended: 'host-left' }
  | { readonly ended: 'no-server'; readonly why: string };

/**
 * Stands before a server that is a child process, for a host that speaks through two streams. Resolves when
 * it is over, with nothing of the server left.
 *
 * @param stop aborted to end it; the signal's reason is not looked at
 */
export function runStdioProxy(options: StdioProxyOptions, stop: AbortSignal): Promise<ProxyEnd> {
  const { guard, input, output, log } = options;
  return new Promise((resolve) => {
    let isOver = false;
    const end = async (how: ProxyEnd): Promise<void> => {
      if (isOver) return;
      isOver = true;
      input.destroy();
      await Promise.all([session.end(), server.close()]);
      resolve(how);
    };
    const session: GuardedSession = new GuardedSession({
      guard,
      server: options.server,
      toHost: (text) => output.write(`${text}\n`),
      toServer: (text, when) => server.send(text, when),
      ready: () => server.ready(),
      onNoise: (text) => log.write(`${text}\n`),
    });
    const server: StdioServer = new StdioServer(
      options,
      {
        onMessage: (framed) => session.fromServer(framed),
        onLost(why) {
          const hadBegun = session.hasBegun;
          session.serverLost(why);
          if (!hadBegun) void end({ ended: 'no-server', why });
        },
        onRestarted: () => session.introduce(),
        onStderr: (text) => log.write(text),
      },
      guard.adapter.clock,
    );
    const framer = new LineFramer();
    input.on('data', (chunk: Buffer) => {
      for (const framed of framer.push(chunk)) {
        if ('line' in framed) session.fromHost(framed.line);
        else log.write(`a message of the host with ${framed.oversized.bytes} bytes was dropped\n`);
      }
    });
    const hostLeft = (): void => void end({ ended: 'host-left' });
    input.on('end', hostLeft);
    input.on('close', hostLeft);
    input.on('error', hostLeft);
    output.on('error', hostLeft);
    stop.addEventListener('abort', hostLeft, { once: true });
  });
}
