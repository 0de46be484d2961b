import type { EventSink, EventType, GuardEvent } from './event.js';

export interface MemorySink extends EventSink {
  readonly events: readonly GuardEvent[];
  /** The events of one type, narrowed. */
  of<T extends EventType>(type: T): readonly Extract<GuardEvent, { type: T }>[];
}

/**
 * Keeps the last events in memory, for tests and timelines.
 * @param most how many are kept. Default: 10 000
 */
export function memorySink(most = 10_000): MemorySink {
  const events: GuardEvent[] = [];
  return {
    events,
    of: <T extends EventType>(type: T) =>
      events.filter((event): event is Extract<GuardEvent, { type: T }> => event.type === type),
    write(event) {
      events.push(event);
      if (events.length > most) events.shift();
    },
  };
}
