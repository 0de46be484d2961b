import type { MessageId } from '../message/message.js';

/** The way to a host, whatever carries it. */
export interface Front {
  /** Gives the host the answer to a request of its. */
  answer(text: string, id: MessageId): void;
  /** The host has given up this request: no answer to it will come. */
  dropped(id: MessageId): void;
  /**
   * Gives the host a message that answers nothing.
   *
   * @param relatedTo the host's request that it belongs to; undefined where no single one can have caused it
   */
  tell(text: string, relatedTo?: MessageId): void;
  /** There is no server, and there was none: it ended before it had answered `initialize`. */
  noServer(why: string): void;
  /** Takes no more from the host for now, because the server does not read, or does so again. */
  hold?(isHeld: boolean): void;
  /** What the server printed beside messages. */
  log(text: string): void;
}
