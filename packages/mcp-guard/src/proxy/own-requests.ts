import { type CallContext, onGivenUp } from '@holdfast/call-guard';
import { sha256 } from '@holdfast/tool-registry';
import {
  type MessageId,
  memberText,
  type ResponseMessage,
  type RpcError,
} from '../message/message.js';
import { type Upstream, UpstreamLost, type When } from './upstream.js';

/** What the server said to a request of the guard's own. */
export type Reply =
  /** `text`: the result, as it was written. */
  | { readonly replied: 'result'; readonly text: string; readonly result: unknown }
  | { readonly replied: 'error'; readonly error: RpcError; readonly text: string }
  /** Answered, with a line that was too long to keep. */
  | { readonly replied: 'oversized'; readonly bytes: number };

/** What a request is made for, and given up with. */
export type Purpose = Pick<CallContext, 'signal' | 'onGivenUp'>;

/** Something that a signal ends. */
export function purposeUntil(signal: AbortSignal): Purpose {
  return { signal, onGivenUp: (listener) => onGivenUp(signal, listener) };
}

interface Open {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
  readonly forHost: MessageId | undefined;
  readonly onProgress: ((params: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** Requests that the guard makes of the server, beside those of the host: ids of their own, and their progress. */
export class OwnRequests {
  readonly #open = new Map<MessageId, Open>();
  /** What has such an id is the guard's own and is not passed on. A guard before this one has other ids. */
  readonly #prefix: string;
  #made = 0;

  /** @param session tells this session from all others */
  constructor(
    private readonly upstream: Pick<Upstream, 'send' | 'giveUp'>,
    session: string,
  ) {
    // Short: each request has it twice, and the server reads it.
    this.#prefix = `dev.holdfast/${sha256(session).slice(0, 8)}/`;
  }

  /**
   * Resolves with what the server says. Rejects with what the way to it says of its loss, or with the
   * reason why its purpose was given up; then the server is told, and what it answers after all is nobody's.
   *
   * @param params the request's parameters as JSON, for its progress token
   */
  request(
    method: string,
    params: (progressToken: string) => string,
    options: {
      readonly purpose?: Purpose;
      readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
      readonly when?: When;
      /** The host's request that it is made for. */
      readonly forHost?: MessageId;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<Reply> {
    const { purpose, onProgress, when = 'in-turn', forHost, headers } = options;
    this.#made += 1;
    const id = `${this.#prefix}${this.#made}`;
    const text = requestText(id, method, params(id));
    return new Promise((resolve, reject) => {
      let letGo: (() => void) | undefined;
      const ended = (): void => {
        this.#open.delete(id);
        letGo?.();
      };
      this.#open.set(id, {
        forHost,
        onProgress,
        resolve(reply) {
          resolve(reply);
          ended();
        },
        reject(error: unknown) {
          reject(error);
          ended();
        },
      });
      this.upstream.send(
        headers === undefined ? { text, method, id } : { text, method, id, headers },
        when,
      );
      // What has to be kept of it is kept while the server works at it; it may have answered already.
      if (purpose === undefined || !this.#open.has(id)) return;
      letGo = purpose.onGivenUp((reason) => {
        this.#open.delete(id);
        reject(reason);
        this.#tellCancelled(id);
      });
    });
  }

  /** Takes the answer to a request of ours. False: it is the host's. */
  settle(message: ResponseMessage): boolean {
    const { id, error, result, text } = message;
    if (!this.#isOwn(id)) return false;
    const open = this.#open.get(id);
    open?.resolve(
      error === undefined
        ? { replied: 'result', text: memberText(text, 'result') ?? 'null', result }
        : { replied: 'error', error, text },
    );
    return true;
  }

  /** The same for an answer of which only the id is known. */
  settleOversized(id: MessageId, bytes: number): boolean {
    if (!this.#isOwn(id)) return false;
    this.#open.get(id)?.resolve({ replied: 'oversized', bytes });
    return true;
  }

  /** Takes a progress notification about a request of ours. False: it is the host's. */
  progress(params: Readonly<Record<string, unknown>>): boolean {
    const { progressToken } = params;
    if (typeof progressToken !== 'string' || !this.#isOwn(progressToken)) return false;
    this.#open.get(progressToken)?.onProgress?.(params);
    return true;
  }

  /** One request of ours will not be answered. False: it is the host's. */
  fail(id: MessageId, error: unknown): boolean {
    if (!this.#isOwn(id)) return false;
    this.#open.get(id)?.reject(error);
    return true;
  }

  /** The host's request for which one of ours was made; others are the host's own. */
  hostsOf(id: MessageId): MessageId | undefined {
    return this.#isOwn(id) ? this.#open.get(id)?.forHost : id;
  }

  /** The server is gone: nothing that is open will be answered. */
  lose(why: string): void {
    for (const open of [...this.#open.values()]) open.reject(new UpstreamLost(true, why));
  }

  #isOwn(id: MessageId | null): id is string {
    return typeof id === 'string' && id.startsWith(this.#prefix);
  }

  #tellCancelled(requestId: string): void {
    const params = { requestId, reason: 'nobody waits for it any more' };
    const method = 'notifications/cancelled';
    const text = JSON.stringify({ jsonrpc: '2.0', method, params });
    this.upstream.send({ text, method }, 'in-turn');
    this.upstream.giveUp(requestId);
  }
}

function requestText(id: string, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${params}}`;
}
