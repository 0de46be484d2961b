import { redactSecrets } from '@holdfast/tool-registry';
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

/**
 * @param subject as `details`: put together only where somebody listens, if it is given as a function
 * @param about what such functions are given, so that they need not be made anew for each event
 */
export type Emit = <T extends EventType, A = undefined>(
  type: T,
  subject: EventSubject | ((about: A) => EventSubject),
  details: EventDetails[T] | ((about: A) => EventDetails[T]),
  about?: A,
) => void;

export interface Emitter {
  readonly emit: Emit;
  /** How often each event was emitted; zeros included. */
  counts(): EventCounts;
  flush(): Promise<void>;
}

/** Details of events that others wrote. */
const FOREIGN = ['message', 'why', 'cause'] as const;

/** What somebody else wrote, without the secrets that can be told. */
function withoutSecrets(event: GuardEvent): GuardEvent {
  let safe: GuardEvent = event;
  for (const name of FOREIGN) {
    const text: unknown = Reflect.get(event, name);
    if (typeof text !== 'string') continue;
    const redacted = redactSecrets(text);
    if (redacted !== text) safe = { ...safe, [name]: redacted };
  }
  return safe;
}

/**
 * One typed stream to all sinks. A sink that throws is counted and otherwise ignored.
 *
 * @param redacts whether secrets in what others wrote go
 */
export function createEmitter(sinks: readonly EventSink[], clock: Clock, redacts = true): Emitter {
  const counts = new Map(
    eventTypes.map((type) => {
      const heardBy = sinks.filter((sink) => sink.wants?.(type) ?? true);
      return [type, { emitted: 0, heardBy }];
    }),
  );
  let dropped = 0;
  const tell = <T extends EventType, A>(
    heardBy: readonly EventSink[],
    type: T,
    subject: EventSubject | ((about: A) => EventSubject),
    details: EventDetails[T] | ((about: A) => EventDetails[T]),
    about: A,
  ): void => {
    const of = typeof subject === 'function' ? subject(about) : subject;
    const said = typeof details === 'function' ? details(about) : details;
    const whole = { type, at: clock.wallMs(), ...of, ...said } as GuardEvent;
    const event = redacts ? withoutSecrets(whole) : whole;
    for (const sink of heardBy) {
      try {
        sink.write(event);
      } catch {
        dropped += 1;
      }
    }
  };
  return {
    // Small, so that V8 makes nothing of what nobody hears.
    emit<T extends EventType, A>(
      type: T,
      subject: EventSubject | ((about: A) => EventSubject),
      details: EventDetails[T] | ((about: A) => EventDetails[T]),
      about?: A,
    ) {
      const count = counts.get(type);
      if (count === undefined) return;
      count.emitted += 1;
      if (count.heardBy.length > 0) tell(count.heardBy, type, subject, details, about as A);
    },
    counts: () => {
      const all = [...counts].map(([type, { emitted }]) => [type, emitted] as const);
      return { ...(Object.fromEntries(all) as Record<EventType, number>), dropped };
    },
    async flush() {
      for (const sink of sinks) {
        try {
          await sink.flush?.();
        } catch {
          dropped += 1;
        }
      }
    },
  };
}
