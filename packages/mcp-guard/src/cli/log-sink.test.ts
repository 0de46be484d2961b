import type { GuardEvent } from '@holdfast/call-guard';
import { describe, expect, it } from 'vitest';
import { type LogLevel, logLevels, logSink } from './log-sink.js';

const about = { runId: 'r', intentId: 'i', tenant: 't', tool: 'pay', at: 1_000 };
const events: readonly GuardEvent[] = [
  { ...about, type: 'attempt_started', attempt: 1 },
  { ...about, type: 'warning', code: 'tools_unread', message: 'the list does not end' },
  { ...about, type: 'call_finished', outcome: 'unknown', attempts: 1, repairs: [] },
];

function linesAt(level: LogLevel): readonly string[] {
  const lines: string[] = [];
  const sink = logSink(level, (text) => lines.push(text));
  for (const event of events) if (sink.wants?.(event.type) === true) sink.write(event);
  return lines;
}

describe('the log of the proxy', () => {
  it('says as much as its level wants, a line for each event', () => {
    expect(logLevels.map((level) => linesAt(level).length)).toEqual([0, 1, 2, 3]);
    expect(linesAt('info')).toEqual([
      'mcp-guard: pay             warning tools_unread: the list does not end\n',
      'mcp-guard: pay             answered: unknown\n',
    ]);
  });
});
