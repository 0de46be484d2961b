import type { SdkMessage, SdkTransport } from './sdk.js';

/** What stands between a client and its transport. */
export interface Between {
  /** A message of the client. Resolves or rejects as the transport's `send` would. */
  fromClient(message: SdkMessage, options: unknown): Promise<void>;
  /** A message of the server. */
  fromServer(message: SdkMessage, extra: unknown): void;
  /** The transport is closed. Resolves when the client may know. */
  closed(): Promise<void>;
}

/** The transport's own ways, past what stands between. */
export interface Carrier {
  send(message: SdkMessage, options?: unknown): Promise<void>;
  close(): Promise<void>;
  /** Gives a message to the client. */
  deliver(message: SdkMessage, extra?: unknown): void;
}

/**
 * Puts something between a client and its transport, in the transport itself: so it does not matter whether
 * the client is connected already, and to the client, and to what looks at the transport, it is the same object.
 */
export function interpose<B extends Between>(
  transport: SdkTransport,
  betweenOf: (carrier: Carrier) => B,
): B {
  const send = transport.send.bind(transport);
  const close = transport.close.bind(transport);
  let toClient = transport.onmessage;
  let isDelivering = false;
  const between = betweenOf({
    send,
    close,
    deliver(message, extra) {
      isDelivering = true;
      try {
        toClient?.(message, extra);
      } finally {
        isDelivering = false;
      }
    },
  });
  transport.send = (message, options) => between.fromClient(message, options);
  // Who hooks itself in later keeps what is there and calls it: what then comes by has been here.
  const around = (handler: SdkTransport['onmessage']): SdkTransport['onmessage'] =>
    handler === undefined
      ? undefined
      : (message, extra) => {
          if (isDelivering) handler(message, extra);
          else between.fromServer(message, extra);
        };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => around(toClient),
    set(handler: SdkTransport['onmessage']) {
      toClient = handler;
    },
  });
  let onClose = transport.onclose;
  Object.defineProperty(transport, 'onclose', {
    configurable: true,
    get() {
      const current = onClose;
      return () => void between.closed().then(() => current?.());
    },
    set(handler: SdkTransport['onclose']) {
      onClose = handler;
    },
  });
  return between;
}
