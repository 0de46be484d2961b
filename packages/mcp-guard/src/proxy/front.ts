import type { MessageId } from '../message/message.js';

/** The way to a host, whatever carries it. */
export interface Front {
  /**
   * Gives a message to the host.
   *
   * @param relatedTo the host's request that it answers or belongs to; undefined where no single one can have
   * caused it
   */
  toHost(text: string, relatedTo?: MessageId): void;
  /** There is no server, and there was none: it ended before it had answered `initialize`. */
  noServer(why: string): void;
  /** What the server printed beside messages. */
  log(text: string): void;
}
