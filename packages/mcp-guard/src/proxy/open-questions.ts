import type { Clock } from '@holdfast/call-guard';
import type { MessageId, RequestMessage } from '../message/message.js';
import type { CallActivity } from './call-activity.js';
import { errorResponse, resultResponse } from './call-result.js';

/**
 * How long a host may take to answer what a server asks its user or its model during a call, in milliseconds:
 * half of a call's own time, so that the tool can still end without an answer.
 */
const PATIENCE_MS = 300_000;

/** What waits for a person or for a model, and not for the server. */
const QUESTIONS: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage']);

interface Open {
  goOn(): void;
}

/**
 * What a server asks the host during calls. Meanwhile the idle limits of those calls stand still; and a
 * question that is never answered does not hold its call for ever: the server is told that nobody answers.
 */
export class OpenQuestions {
  readonly #open = new Map<string, Open>();
  /** Answered in the host's place: what it says after all is nobody's. */
  readonly #givenUp = new Set<string>();

  constructor(
    private readonly clock: Pick<Clock, 'alarm'>,
    private readonly to: {
      server(text: string): void;
      host(text: string, relatedTo: MessageId | undefined): void;
    },
  ) {}

  /**
   * @param calls those that may wait for it; none: it is none of ours
   * @param relatedTo the host's request that it belongs to
   */
  ask(
    { id, method }: RequestMessage,
    calls: readonly CallActivity[],
    relatedTo: MessageId | undefined,
  ): void {
    if (!QUESTIONS.has(method) || calls.length === 0) return;
    const key = JSON.stringify(id);
    this.#givenUp.delete(key);
    const goOn = calls.map((call) => call.pause());
    const cancelAlarm = this.clock.alarm(PATIENCE_MS, false, () =>
      this.#giveUp(id, method, relatedTo),
    );
    this.#open.set(key, {
      goOn() {
        cancelAlarm();
        for (const one of goOn) one();
      },
    });
  }

  /** The host answers. False: too late, the server has heard that nobody did. */
  answered(id: MessageId | null): boolean {
    const key = JSON.stringify(id);
    this.#close(key);
    return !this.#givenUp.delete(key);
  }

  /** The server is gone, and with it what it asked. */
  end(): void {
    for (const key of [...this.#open.keys()]) this.#close(key);
    this.#givenUp.clear();
  }

  #close(key: string): void {
    this.#open.get(key)?.goOn();
    this.#open.delete(key);
  }

  #giveUp(id: MessageId, method: string, relatedTo: MessageId | undefined): void {
    const key = JSON.stringify(id);
    this.#close(key);
    this.#givenUp.add(key);
    const reason = `no answer within ${PATIENCE_MS / 1_000} s`;
    const cancel = { method: 'notifications/cancelled', params: { requestId: id, reason } };
    this.to.host(JSON.stringify({ jsonrpc: '2.0', ...cancel }), relatedTo);
    this.to.server(
      method === 'elicitation/create'
        ? resultResponse(id, '{"action":"cancel"}')
        : errorResponse(id, `the host gave ${reason}`),
    );
  }
}
