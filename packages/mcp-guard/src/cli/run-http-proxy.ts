import { once } from 'node:events';
import { type HttpFrontOptions, openHttpFront } from '../http/http-front.js';

/** How a proxy ended that listens: a signal came, or it could not listen. */
type ListenEnd =
  | { readonly ended: 'stopped' }
  | { readonly ended: 'no-address'; readonly why: string };

/**
 * Stands before a server, for hosts that come in at an address. Resolves when it is over, with nothing of the
 * ways to the server left.
 *
 * @param stop aborted to end it
 */
export async function runHttpProxy(
  options: HttpFrontOptions,
  stop: AbortSignal,
): Promise<ListenEnd> {
  const { host, port, log } = options;
  const opened = await openHttpFront(options).catch((error: unknown) => ({
    why: `cannot listen at ${host}:${port}: ${reasonOf(error)}`,
  }));
  if ('why' in opened) return { ended: 'no-address', why: opened.why };
  log(`mcp-guard: listening at ${opened.url}\n`);
  if (!stop.aborted) await once(stop, 'abort');
  await opened.close();
  return { ended: 'stopped' };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return 'the port is in use; name another one, or 0 for any that is free';
    case 'EACCES':
      return 'this user may not; name a port above 1023';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address';
    default:
      return String(error);
  }
}
