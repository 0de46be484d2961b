import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../failure.js';
import { classify } from './classify.js';
import { errorOf, type RecordedError, recordedErrors } from './recorded-error.fixture.js';

/** The moment at which the records were made. */
const WALL_MS = Date.UTC(2026, 0, 1);
const classes = ['read', 'idempotent-write', 'irreversible', 'undeclared'] as const;
const sources = ['http', 'system', 'mcp', 'langchain', 'provider', 'abort', 'sql', 'process'];

function facts(record: RecordedError, effectClass: (typeof classes)[number]): FailureFacts {
  return classify(errorOf(record.error), {
    class: effectClass,
    effectOnError: 'unknown',
    notes: { keyCarried: false, requestsSent: 0, requestsRefused: 0 },
    wallMs: WALL_MS,
  });
}
const at = (details: object, name: string): unknown =>
  name in details ? Reflect.get(details, name) : undefined;

it('every source has its table, and every table its source', () => {
  const tables = readdirSync(new URL('.', import.meta.url))
    .filter((name) => name.endsWith('.cases.json'))
    .map((name) => name.replace('.cases.json', ''));
  expect(tables.sort()).toEqual([...sources, 'in-band'].sort());
});

describe.each(sources)('%s', (source) => {
  const records = recordedErrors(source);

  it('has ten records at least, each with a name of its own', () => {
    expect(new Set(records.map(({ name }) => name)).size).toBe(records.length);
    expect(records.length).toBeGreaterThanOrEqual(10);
  });

  describe.each(records.map((record) => [record.name, record] as const))('%s', (_, record) => {
    it.each(classes)('of a tool that is %s', (effectClass) => {
      const failure = facts(record, effectClass);
      expect([failure.kind, failure.effect]).toEqual([record.kind, record.effect[effectClass]]);
      expect(at(failure.details, 'retryAfterMs')).toBe(record.retryAfterMs);
      expect(Object.values(failure.details)).not.toContain(undefined);
      if (record.sent !== undefined) expect(at(failure.details, 'sent')).toBe(record.sent);
    });

    const { details } = record;
    if (details === undefined) return;
    it('says what it holds', () => {
      expect(facts(record, 'read').details).toMatchObject(details);
    });
  });
});
