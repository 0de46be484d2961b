import type { Framed } from '../message/line-framer.js';
import type { Message, MessageId } from '../message/message.js';

/** What goes to a server. */
export interface Outgoing {
  readonly text: string;
  /** Absent in a response, and in what could not be read. */
  readonly method?: string;
  /** Of a request: what it will be answered under. */
  readonly id?: MessageId;
  /** For ways that have headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** `in-turn`: after what a server that just began has to hear first; `at-once`: that. */
export type When = 'in-turn' | 'at-once';

/** The way to a server, whatever carries it. */
export interface Upstream {
  /** Whether a header of a request reaches the server. */
  readonly carriesHeaders: boolean;
  /** Whether all that it is given goes to another process, past any code of the program around it. Default: no. */
  readonly leavesProcess?: boolean;
  /** Gives it a message, or keeps it until the server is ready. What becomes of it, events tell. */
  send(message: Outgoing, when: When): void;
  /**
   * Resolves when the server can be called; undefined where it can be now.
   *
   * @throws UpstreamLost if it cannot be brought to work
   */
  ready(): Promise<void> | undefined;
  /** Nobody waits for the answer to this request any more. */
  giveUp(id: MessageId): void;
  /** Stops reading from the server, or goes on. Absent where there is nothing that would pile up. */
  hold?(isHeld: boolean): void;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

/** What is heard from the way to a server. */
export interface UpstreamEvents {
  /**
   * Gives what was read in it.
   *
   * @param relatedTo the request on whose answer's stream it came, where the way has such streams
   */
  onMessage(framed: Framed, relatedTo?: MessageId): readonly Message[];
  /**
   * One request will not be answered, while others may be.
   *
   * @param error `UpstreamLost`, or what `classify` reads: a status with headers and body, a broken connection
   */
  onUnanswered(id: MessageId, error: unknown): void;
  /** The server is gone: nothing that it was asked will be answered. */
  onLost(why: string): void;
  /** It is there anew, or has forgotten the session, and knows nobody. Rejects if it cannot be brought to work. */
  onRestarted(): Promise<void>;
  /** The server does not read what it is given, or does so again. */
  onFull?(isFull: boolean): void;
  /** What it printed beside messages. */
  onPrinted(text: string): void;
}

/** The server is gone, or was never there. */
export class UpstreamLost extends Error {
  override readonly name = 'UpstreamLost';
  /** @param sent whether the request may have reached it */
  constructor(
    readonly sent: boolean,
    why: string,
    options?: ErrorOptions,
  ) {
    super(why, options);
  }
}
