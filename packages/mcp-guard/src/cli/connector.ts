import type { Clock } from '@holdfast/call-guard';
import { httpChannel } from '../http/http-channel.js';
import { HttpUpstream } from '../http/http-upstream.js';
import type { SessionOptions } from '../proxy/session.js';
import { StdioServer } from '../stdio/stdio-server.js';
import type { ServerPlace } from './server-place.js';

/** Makes the way to a server, one for each session: a process of its own, or a session of the server's. */
export function connectorTo(
  server: ServerPlace,
  env: NodeJS.ProcessEnv,
  clock: Clock,
): SessionOptions['connect'] {
  if ('url' in server) {
    const { url, headers } = server;
    return (events) => new HttpUpstream({ channel: httpChannel(url), headers, clock }, events);
  }
  const { command, args } = server;
  return (events) => new StdioServer({ command, args, env }, events, clock);
}
