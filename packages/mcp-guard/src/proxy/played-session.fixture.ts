import type { MessageId } from '../message/message.js';
import type { Front } from './front.js';
import { GuardedSession, type SessionOptions } from './session.js';
import type { Upstream, UpstreamEvents } from './upstream.js';

interface PlayedOptions extends Omit<SessionOptions, 'server' | 'front' | 'connect'> {
  /** What the test wants to hear at the host's side; the rest is heard by nobody. */
  readonly front?: Partial<Front>;
  /** The same at the server's side. */
  readonly upstream?: Partial<Upstream>;
}

const lineOf = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });

/** A server that hears everything and says nothing. */
export const silentServer: Upstream = {
  carriesHeaders: false,
  send: () => {},
  ready: async () => {},
  giveUp: () => {},
  close: async () => {},
};

/** A session whose host and whose server, `desk`, are played by a test. */
export function playedSession({ front, upstream, ...options }: PlayedOptions) {
  let events: UpstreamEvents | undefined;
  const session = new GuardedSession({
    server: 'desk',
    ...options,
    front: {
      answer: () => {},
      tell: () => {},
      dropped: () => {},
      noServer: () => {},
      log: () => {},
      ...front,
    },
    connect(told) {
      events = told;
      return { ...silentServer, ...upstream };
    },
  });
  return {
    session,
    /** What the way to the server tells. */
    upstream: () => events,
    fromHost: (message: object) => session.fromHost(lineOf(message)),
    fromServer: (message: object, onStreamOf?: MessageId) =>
      events?.onMessage({ line: lineOf(message) }, onStreamOf),
  };
}
