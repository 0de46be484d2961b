import type { Clock } from '@holdfast/call-guard';
import { eventsOf } from './event-stream.js';
import { type HttpAnswer, otherText } from './http-answer.js';
import { endedWithout } from './http-refusal.js';

/** Between the end of a stream and the request for its rest, where the server does not say, in milliseconds. */
export const RETRY_MS = 1_000;

/** A server that says less would be asked without a pause, in milliseconds. */
const LEAST_RETRY_MS = 10;

/** Requests for the rest of an answer that fail in a row. */
const MOST_RESUMPTIONS = 3;

/** What a server is given to end the stream of a request that it has answered, in milliseconds. */
const FAREWELL_MS = 1_000;

/** Who reads the stream of an answer. */
export interface AnswerReader {
  /** Takes what came; whether it is the answer. */
  hear(text: string): boolean;
  /** Takes an answer that is longer than a message may be. */
  hearOversized(bytes: number): void;
  /** Asks for what came after an event. */
  resume(lastEventId: string, signal: AbortSignal): Promise<HttpAnswer>;
  /** What is waited for before the next event is taken; undefined where nothing is. */
  held(): Promise<void> | undefined;
  readonly clock: Pick<Clock, 'alarm' | 'sleep'>;
}

/**
 * Reads the stream of a request until its answer, through as many connections as it takes. Rejects with what
 * broke the stream where there is no more to ask for.
 *
 * @param controller ends it, and is ended when the server does not end a stream that it has answered on
 */
export async function readAnswerStream(
  first: HttpAnswer,
  reader: AnswerReader,
  controller: AbortController,
): Promise<void> {
  let retryMs = RETRY_MS;
  let lastEventId: string | undefined;
  let failures = 0;
  let stream: HttpAnswer | undefined = first;
  for (;;) {
    const read = await readConnection(stream, reader, controller);
    if (read.end === 'answered') return;
    retryMs = Math.max(LEAST_RETRY_MS, read.retryMs ?? retryMs);
    lastEventId = read.lastEventId ?? lastEventId;
    if (controller.signal.aborted || lastEventId === undefined) throw read.broken;
    for (stream = undefined; stream === undefined; ) {
      await reader.clock.sleep(retryMs, controller.signal);
      stream = await restOf(lastEventId, reader, controller.signal);
      failures = stream === undefined ? failures + 1 : 0;
      if (failures === MOST_RESUMPTIONS) throw read.broken;
    }
  }
}

/** How a connection ended that carried the stream of an answer. */
type ConnectionRead =
  | { readonly end: 'answered' }
  | {
      readonly end: 'too-early';
      readonly lastEventId: string | undefined;
      readonly retryMs: number | undefined;
      readonly broken: unknown;
    };

async function readConnection(
  { body }: HttpAnswer,
  reader: AnswerReader,
  controller: AbortController,
): Promise<ConnectionRead> {
  let isAnswered = false;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  let cancelFarewell = (): void => {};
  let broken: unknown = endedWithout('the stream of the answer ended before the answer');
  try {
    for await (const streamed of eventsOf(body)) {
      const held = reader.held();
      if (held !== undefined) await held;
      if ('oversizedBytes' in streamed) {
        reader.hearOversized(streamed.oversizedBytes);
        isAnswered = true;
      } else if ('retryMs' in streamed) {
        retryMs = streamed.retryMs;
      } else {
        lastEventId = streamed.id ?? lastEventId;
        if (streamed.data === '' || !reader.hear(streamed.data)) continue;
        isAnswered = true;
        // The server ends the stream now; one that does not is not waited for.
        cancelFarewell();
        cancelFarewell = reader.clock.alarm(FAREWELL_MS, false, () => controller.abort());
      }
    }
  } catch (error) {
    broken = error;
  } finally {
    cancelFarewell();
  }
  return isAnswered ? { end: 'answered' } : { end: 'too-early', lastEventId, retryMs, broken };
}

async function restOf(
  lastEventId: string,
  reader: AnswerReader,
  signal: AbortSignal,
): Promise<HttpAnswer | undefined> {
  const answer = await reader.resume(lastEventId, signal).catch(() => undefined);
  if (answer?.status === 200) return answer;
  if (answer !== undefined) await otherText(answer);
  return undefined;
}
