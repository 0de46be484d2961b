import { PartTimeout } from './classify/abort.js';
import { provesUnsent } from './classify/system.js';
import type { Clock } from './clock.js';
import { LinkedAbort } from './linked-abort.js';
import { StatedFailure } from './stated-failure.js';

/** What holds for the requests of an attempt. */
interface WatchSetting {
  readonly clock: Clock;
  /** Until the head of an answer, in milliseconds. */
  readonly firstByteMs?: number;
  /** Until the next part of its body, in milliseconds. */
  readonly idleMs?: number;
  /** Told once that a client below repeats its requests. */
  readonly onRepeated: (host: string) => void;
  /**
   * After what a request must not be sent again: `never`, where a second sending does no harm; `loss`, where
   * the first may have arrived; `error`, where an error of the other side leaves that open, too.
   */
  readonly inDoubtAfter: 'never' | 'loss' | 'error';
}

/** What tells one request from another. */
export interface RequestIdentity {
  readonly method: string;
  readonly url: string;
  /** Undefined where it cannot be compared. */
  readonly body: string | undefined;
}

/** Statuses after which clients send a request again by themselves. */
const REPEATED_AFTER = new Set([408, 409, 425, 429]);

/** Of those the ones that say that nothing was done. */
const DID_NOTHING = new Set([425, 429]);

/** What changes nothing, however often it is sent. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Watches the requests of one attempt. Two clocks of their own bound each: the time to the head of its
 * answer, and the time between two parts of the body while somebody waits for one. A clock that runs out
 * tears the connection down. And whoever repeats a request that failed, within one attempt, is a client
 * with retries of its own: it is told, and where nothing protects a second sending it is refused.
 */
export class RequestWatch {
  readonly #failed = new Set<string>();
  readonly #inDoubt = new Set<string>();
  readonly #links = new Set<LinkedAbort>();
  #told = false;

  constructor(private readonly setting: WatchSetting) {}

  async send(
    request: RequestIdentity,
    signal: AbortSignal | undefined,
    perform: (signal: AbortSignal | undefined) => Promise<Response>,
  ): Promise<Response> {
    const known = identityOf(request);
    if (known !== undefined && this.#failed.has(known)) this.#tell(request.url);
    if (known !== undefined && this.#inDoubt.has(known)) {
      throw new StatedFailure('transport_lost', 'unknown', { code: 'SENT_BEFORE', sent: true });
    }
    const { inDoubtAfter } = this.setting;
    const fails = (leavesDoubt: boolean): void => {
      if (known === undefined) return;
      this.#failed.add(known);
      if (leavesDoubt && !SAFE.has(request.method)) this.#inDoubt.add(known);
    };
    const { firstByteMs, idleMs } = this.setting;
    const isClocked = firstByteMs !== undefined || idleMs !== undefined;
    const link = isClocked ? new LinkedAbort(signal) : undefined;
    if (link !== undefined) this.#links.add(link);
    try {
      const response =
        link === undefined
          ? await perform(signal)
          : this.#clocked(await this.#untilHead(link, perform), link);
      if (response.status >= 500 || REPEATED_AFTER.has(response.status)) {
        fails(inDoubtAfter === 'error' && !DID_NOTHING.has(response.status));
      }
      return response;
    } catch (error) {
      fails(inDoubtAfter !== 'never' && !provesUnsent(error));
      if (link !== undefined) this.#release(link);
      throw error;
    }
  }

  /** The attempt is over: nothing of it listens to anybody's signal any more. */
  end(): void {
    for (const link of this.#links) this.#release(link);
  }

  #release(link: LinkedAbort): void {
    link.release();
    this.#links.delete(link);
  }

  #tell(url: string): void {
    if (this.#told) return;
    this.#told = true;
    this.setting.onRepeated(new URL(url).host);
  }

  async #untilHead(
    link: LinkedAbort,
    perform: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const stop = this.#alarm('first-byte', this.setting.firstByteMs, link);
    try {
      return await perform(link.signal);
    } finally {
      stop();
    }
  }

  #alarm(limit: 'first-byte' | 'idle', ms: number | undefined, link: LinkedAbort): () => void {
    if (ms === undefined) return () => {};
    return this.setting.clock.alarm(ms, true, () => link.abort(new PartTimeout(limit, ms)));
  }

  #clocked(response: Response, link: LinkedAbort): Response {
    if (response.body === null) this.#release(link);
    if (response.body === null || this.setting.idleMs === undefined) return response;
    const watched = new Response(this.#watched(response.body, link), response);
    // What a response of one's own making does not have.
    for (const name of ['url', 'redirected', 'type'] as const) {
      Object.defineProperty(watched, name, { value: response[name] });
    }
    return watched;
  }

  /** The same body; the clock runs while somebody waits for its next part, and no part is read ahead. */
  #watched(body: ReadableStream<Uint8Array>, link: LinkedAbort): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const stop = this.#alarm('idle', this.setting.idleMs, link);
          try {
            const { done, value } = await reader.read();
            if (!done) {
              controller.enqueue(value);
              return;
            }
            this.#release(link);
            controller.close();
          } catch (error) {
            this.#release(link);
            controller.error(link.signal.aborted ? link.signal.reason : error);
          } finally {
            stop();
          }
        },
        cancel: async (reason) => {
          this.#release(link);
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }
}

function identityOf({ method, url, body }: RequestIdentity): string | undefined {
  return body === undefined ? undefined : `${method} ${url}\n${body}`;
}
