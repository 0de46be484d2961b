import type { Readable, Writable } from 'node:stream';
import { LineFramer } from '../message/line-framer.js';
import { GuardedSession, type SessionOptions } from '../proxy/session.js';
import { LineWriter } from './line-writer.js';

export interface StdioProxyOptions extends Omit<SessionOptions, 'front'> {
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Writable;
}

/** How a proxy ended: its host went away or a signal came, or the server never came to work. */
export type ProxyEnd =
  | { readonly ended: 'host-left' }
  | { readonly ended: 'no-server'; readonly why: string };

/**
 * Stands before a server, for a host that speaks through two streams. Resolves when it is over, with nothing
 * of the way to the server left.
 *
 * @param stop aborted to end it; the signal's reason is not looked at
 */
export function runStdioProxy(options: StdioProxyOptions, stop: AbortSignal): Promise<ProxyEnd> {
  const { input, output, log } = options;
  return new Promise((resolve) => {
    let isOver = false;
    const end = async (how: ProxyEnd): Promise<void> => {
      if (isOver) return;
      isOver = true;
      input.destroy();
      await session.end();
      resolve(how);
    };
    /** Why nothing is read from the host for now. */
    const held = new Set<'host' | 'server'>();
    const holdHost = (by: 'host' | 'server', isHeld: boolean): void => {
      if (isHeld) held.add(by);
      else held.delete(by);
      if (held.size > 0) input.pause();
      else input.resume();
    };
    // A host that does not read is not read from either: what it asks would only be answered.
    const writer = new LineWriter(output, (isFull) => {
      holdHost('host', isFull);
      session.hold(isFull);
    });
    const write = (text: string): void => writer.write(text);
    const session: GuardedSession = new GuardedSession({
      ...options,
      front: {
        answer: write,
        tell: write,
        dropped: () => {},
        hold: (isHeld) => holdHost('server', isHeld),
        noServer: (why) => void end({ ended: 'no-server', why }),
        log: (text) => log.write(text),
      },
    });
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
