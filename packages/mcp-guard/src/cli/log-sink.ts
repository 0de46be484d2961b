import { type EventSink, type EventType, renderTimeline } from '@holdfast/call-guard';

/** From least to most. */
export const logLevels = ['silent', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a person who runs the proxy would want to know of. */
const AT_WARN: ReadonlySet<EventType> = new Set(['warning', 'breaker_state_changed']);

/** What became of each call, beside what went as it should. */
const AT_INFO: ReadonlySet<EventType> = new Set([
  'call_finished',
  'effect_folded',
  'effect_probed',
  'retry_scheduled',
  'result_trimmed',
  'auth_refreshed',
  'mechanism_shadowed',
]);

/** Events as lines for a person, as many as the level wants. */
export function logSink(level: LogLevel, write: (text: string) => void): EventSink {
  return {
    wants: (type) => isWanted(type, level),
    write(event) {
      // The story of one event has no time before it.
      const said = renderTimeline([event]).replace(/^ *0\.000 s {2}/, '');
      write(`mcp-guard: ${said}\n`);
    },
  };
}

function isWanted(type: EventType, level: LogLevel): boolean {
  switch (level) {
    case 'silent':
      return false;
    case 'warn':
      return AT_WARN.has(type);
    case 'info':
      return AT_WARN.has(type) || AT_INFO.has(type);
    case 'debug':
      return true;
  }
}
