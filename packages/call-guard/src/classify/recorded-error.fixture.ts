/** Errors as they were seen, from their record in a `*.cases.json`. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isRecord } from '../record.js';
import { PartTimeout } from './abort.js';

const effect = z.enum(['none', 'done', 'unknown']);

export const effectOfClasses = z.strictObject({
  read: effect,
  'idempotent-write': effect,
  irreversible: effect,
  undeclared: effect,
});

const recorded = z.strictObject({
  name: z.string(),
  error: z.record(z.string(), z.unknown()),
  kind: z.string(),
  effect: effectOfClasses,
  retryAfterMs: z.number().positive().optional(),
  sent: z.boolean().optional(),
  /** What the details hold, where the case names it, of a tool that only reads. */
  details: z.record(z.string(), z.unknown()).optional(),
});

export type RecordedError = z.output<typeof recorded>;

export function recordedErrors(source: string): readonly RecordedError[] {
  const file = new URL(`./${source}.cases.json`, import.meta.url);
  return z.array(recorded).parse(JSON.parse(readFileSync(file, 'utf8')));
}

/**
 * The error of a record. `class` gives it a class of that name; `$headers` and `$response` are objects of
 * fetch, `$partTimeout` is one of the guard's own clocks. What holds a message is an error itself.
 */
export function errorOf(record: Readonly<Record<string, unknown>>): object {
  const { class: className, ...fields } = record;
  const special = specialOf(fields);
  if (special !== undefined) return special;
  const error = newOf(typeof className === 'string' ? className : 'Error');
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(error, name, { value: revived(value, name), configurable: true });
  }
  return error;
}

function newOf(className: string): object {
  const named = { [className]: class extends Error {} }[className] ?? Error;
  return new named();
}

const WRAPPED = ['cause', 'toolError', 'original', 'driverError'];

function revived(value: unknown, name: string): unknown {
  if (Array.isArray(value))
    return value.map((item) => (isRecord(item) ? nested(item, name) : item));
  return isRecord(value) ? nested(value, name) : value;
}

function nested(value: Readonly<Record<string, unknown>>, name: string): object {
  if (WRAPPED.includes(name) || name === 'errors') return errorOf(value);
  return specialOf(value) ?? value;
}

const responseInit = z.object({
  status: z.number(),
  statusText: z.string().optional(),
  headers: z.record(z.string(), z.string()),
});
const partTimeout = z.object({ limit: z.enum(['first-byte', 'idle']), afterMs: z.number() });

function specialOf(value: Readonly<Record<string, unknown>>): object | undefined {
  if ('$headers' in value)
    return new Headers(z.record(z.string(), z.string()).parse(value.$headers));
  if ('$response' in value) {
    const { status, statusText = '', headers } = responseInit.parse(value.$response);
    return new Response('{}', { status, statusText, headers });
  }
  if ('$partTimeout' in value) {
    const { limit, afterMs } = partTimeout.parse(value.$partTimeout);
    return new PartTimeout(limit, afterMs);
  }
  return undefined;
}
