import type { Clock } from '@holdfast/call-guard';
import { eventsOf } from './event-stream.js';
import { type HttpAnswer, otherText } from './http-answer.js';

/** The longest wait between two tries to open a stream, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;

export interface StandingStreamOptions {
  /** Asks for the stream, or for what came after an event of it. */
  request(lastEventId: string | undefined, signal: AbortSignal): Promise<HttpAnswer>;
  /** The next message is read when it has been taken. */
  onMessage(text: string): Promise<void>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Between its end and the next try where the server does not say, in milliseconds; doubled by failures. */
  readonly retryMs: number;
}

/** The stream of what a server says by itself, opened anew for as long as the session lasts. */
export class StandingStream {
  /** Resolves when the server has answered for the first time, whatever it said, or cannot be reached. */
  readonly opened: Promise<void>;
  readonly #life = new AbortController();

  constructor(private readonly options: StandingStreamOptions) {
    this.opened = new Promise((resolve) => {
      // Nothing but its end is thrown there.
      this.#keepOpen(resolve).catch(() => {});
    });
  }

  close(): void {
    this.#life.abort();
  }

  async #keepOpen(onOpened: () => void): Promise<void> {
    const { signal } = this.#life;
    let lastEventId: string | undefined;
    let { retryMs } = this.options;
    for (let failures = 0; ; ) {
      const answer = await this.options.request(lastEventId, signal).catch(() => undefined);
      onOpened();
      if (answer?.status === 200) {
        failures = 0;
        const read = await this.#read(answer);
        lastEventId = read.lastEventId ?? lastEventId;
        retryMs = read.retryMs ?? retryMs;
      } else {
        // A server that refuses it has no such stream; one that fails may have it later.
        if (answer !== undefined) await otherText(answer).catch(() => '');
        if (answer !== undefined && answer.status < 500 && answer.status !== 429) return;
        failures += 1;
      }
      const waitMs = Math.min(LONGEST_WAIT_MS, retryMs * 2 ** failures);
      await this.options.clock.sleep(waitMs, signal);
    }
  }

  async #read({ body }: HttpAnswer): Promise<{ lastEventId?: string; retryMs?: number }> {
    const read: { lastEventId?: string; retryMs?: number } = {};
    try {
      for await (const streamed of eventsOf(body)) {
        if ('retryMs' in streamed) read.retryMs = streamed.retryMs;
        else if ('data' in streamed) {
          if (streamed.id !== undefined) read.lastEventId = streamed.id;
          if (streamed.data !== '') await this.options.onMessage(streamed.data);
        }
      }
    } catch {
      // It broke: the next one goes on behind the last event.
    }
    return read;
  }
}
