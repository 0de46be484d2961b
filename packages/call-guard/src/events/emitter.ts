import type { Clock } from '../clock.js';
import {
  type EventDetails,
  type EventSink,
  type EventSubject,
  type EventType,
  eventTypes,
  type GuardEvent,
} from './event.js';

export type EventCounts = { readonly [T in EventType]: number } & {
  /** Events that a sink refused. */
  readonly dropped: number;
};

/** @param subject put together only where somebody listens, if it is given as a function */
export type Emit = <T extends EventType>(
  type: T,
  subject: EventSubject | (() => EventSubject),
  details: EventDetails[T],
) => void;

export interface Emitter {
  readonly emit: Emit;
  /** How often each event was emitted; zeros included. */
  counts(): EventCounts;
  flush(): Promise<void>;
}

/** One typed stream to all sinks. A sink that throws is counted and otherwise ignored. */
export function createEmitter(sinks: readonly EventSink[], clock: Clock): Emitter {
  const counts = { ...zeros(), dropped: 0 };
  const isHeard = sinks.length > 0;
  const tell: Emit = (type, subject, details) => {
    const about = typeof subject === 'function' ? subject() : subject;
    const event = { type, at: clock.wallMs(), ...about, ...details } as GuardEvent;
    for (const sink of sinks) {
      try {
        sink.write(event);
      } catch {
        counts.dropped += 1;
      }
    }
  };
  return {
    // Small, so that V8 makes nothing of what nobody hears.
    emit(type, subject, details) {
      counts[type] += 1;
      if (isHeard) tell(type, subject, details);
    },
    counts: () => ({ ...counts }),
    async flush() {
      for (const sink of sinks) {
        try {
          await sink.flush?.();
        } catch {
          counts.dropped += 1;
        }
      }
    },
  };
}

function zeros(): Record<EventType, number> {
  return Object.fromEntries(eventTypes.map((type) => [type, 0])) as Record<EventType, number>;
}
