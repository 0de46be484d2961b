import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallHost, ResultRules } from './call/host.js';
import { memorySink } from './events/memory-sink.js';
import { createGuard } from './guard.js';
import { failureOf, gist } from './order-tools.fixture.js';
import { jsonBytes } from './results/json-bytes.js';
import { trim } from './results/trim.js';
import { manualClock } from './testing/manual-clock.js';

const common = { input: z.looseObject({}), resourceGroup: 'desk', owner: 'desk@team' };
const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({ ...common, name: 'look', summary: 'Look.', idempotency: read() }),
    defineTool({
      ...common,
      name: 'list',
      summary: 'List.',
      idempotency: read(),
      result: { maxBytes: 4_096, keep: ['order.status'] },
    }),
    defineTool({
      ...common,
      name: 'note',
      summary: 'Note something.',
      idempotency: { class: 'irreversible', key: { volatile: ['body'] } },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
      result: { maxBytes: 4_096 },
    }),
    defineTool({
      ...common,
      name: 'make_key',
      summary: 'Make a key, which is shown once.',
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
      result: { redact: ['key'] },
    }),
  ],
});

const trimText = (result: unknown, { maxBytes, kept }: ResultRules) => {
  const whole = String(result);
  const given = trim(whole, maxBytes, kept);
  if (given === whole) return undefined;
  return { given, wholeBytes: jsonBytes(whole), givenBytes: jsonBytes(given) };
};

function setting(host: Partial<CallHost> = {}) {
  const events = memorySink();
  const ledger = memoryLedger();
  const guard = createGuard({ registry, ledger, events: [events], clock: manualClock() });
  const { run } = guard.adapter.openRun({ tenant: 'default', runId: 'r', intentId: 'i' }, 'once');
  const call = (
    tool: string,
    callId: string,
    result: unknown,
    args: Readonly<Record<string, unknown>> = {},
  ) =>
    guard.adapter.call(
      { tool, args, callId },
      { run, trim: trimText, ...host },
      async () => result,
    );
  return { call, events, rows: () => ledger.find({ tenant: 'default', intentId: 'i' }) };
}

describe('MCP-58: a result that is too long', () => {
  it('is cut to what its entry says, else to what the adapter says', async () => {
    const { call, events } = setting({ maxResultBytes: 8_192 });
    const long = 'x'.repeat(10_000);
    for (const [tool, most] of [
      ['list', 4_096],
      ['look', 8_192],
    ] as const) {
      const answer = await call(tool, tool, long);
      expect(answer.ok && jsonBytes(String(answer.result))).toBeLessThanOrEqual(most);
    }
    expect(events.of('result_trimmed').map(({ tool, wholeBytes }) => [tool, wholeBytes])).toEqual([
      ['list', 10_000],
      ['look', 10_000],
    ]);
    expect((await call('look', 'c3', 'short')).ok).toBe(true);
    expect(events.of('result_trimmed')).toHaveLength(2);
  });

  it('is whole where neither says anything', async () => {
    const answer = await setting().call('look', 'c1', 'x'.repeat(99_999));
    expect(answer.ok && answer.result).toHaveLength(99_999);
  });

  it('keeps the fields that its entry names', async () => {
    const result = JSON.stringify({
      ...Object.fromEntries(Array.from({ length: 180 }, (_, i) => [`f${i}`, 'x'.repeat(30)])),
      order: { text: 'y'.repeat(4_000), status: 'paid' },
    });
    const { call } = setting();
    const answer = await call('list', 'c1', result);
    expect(answer.ok && JSON.parse(String(answer.result)).order.status).toBe('paid');
  });

  it('of a write is given to an equal call as it was first given, though the whole could not be kept', async () => {
    const { call } = setting();
    const first = await call('note', 'c1', 'x'.repeat(99_999));
    const again = await call('note', 'c2', expect.unreachable);
    expect(again).toMatchObject({ ok: true, folded: 'folded', result: first.ok && first.result });
  });

  it('is given to an equal call in its shorter form, where the longer one takes too much', async () => {
    const { call } = setting({
      trim: (whole) => ({ given: [whole], kept: 'short', wholeBytes: 9, givenBytes: 8 }),
    });
    expect(await call('note', 'c1', 'x'.repeat(99_999))).toMatchObject({
      result: ['x'.repeat(99_999)],
    });
    expect(await call('note', 'c2', '')).toMatchObject({ folded: 'folded', result: 'short' });
  });

  it('that nobody can cut is given whole: what is done is done', async () => {
    const bad = { sync: () => expect.unreachable(), async: () => Promise.reject(new Error('no')) };
    for (const trim of Object.values(bad)) {
      const answer = await setting({ trim }).call('note', 'c1', 'done');
      expect(answer).toMatchObject({ ok: true, result: 'done' });
    }
  });

  it('is told apart from another one with the same beginning and end', async () => {
    const { call } = setting();
    for (let i = 0; i < 9; i += 1) {
      const middle = `${'x'.repeat(5_000)}${i}${'x'.repeat(5_000)}`;
      expect((await call('list', `c${i}`, middle)).ok).toBe(true);
    }
  });
});

describe('what stands for a part of a result', () => {
  it('is refused as a value of a write, and of a tool without an entry', async () => {
    const { call, rows } = setting();
    const cut = trim('x'.repeat(9_000), 1_024);
    for (const [tool, args, path] of [
      ['note', { to: 'a', body: [cut] }, ['body', '0']],
      ['unheard_of', { lines: { text: cut } }, ['lines', 'text']],
    ] as const) {
      const answer = await call(tool, tool, 'never', args);
      expect(gist(answer)).toBe('invalid_arguments, none');
      const { details } = failureOf(answer);
      expect(details).toMatchObject({ problems: [{ path }] });
    }
    expect(await rows()).toEqual([]);
  });

  it('may be looked for', async () => {
    const answer = await setting().call('look', 'c1', 'found', {
      text: trim('x'.repeat(9_000), 999),
    });
    expect(answer.ok).toBe(true);
  });
});

describe('a result with a field that must not be kept', () => {
  it('is given whole once, and to an equal call without it', async () => {
    const { call, rows } = setting();
    const first = await call('make_key', 'c1', { id: 1, key: 'k-123' });
    expect(first).toMatchObject({ ok: true, result: { id: 1, key: 'k-123' } });
    const again = await call('make_key', 'c2', 'never');
    expect(again).toMatchObject({ ok: true, result: { id: 1, key: '[redacted]' } });
    const [row] = await rows();
    const kept = row?.state === 'succeeded' && row.result.kept ? row.result.bytes : undefined;
    expect(new TextDecoder().decode(kept)).not.toContain('k-123');
  });

  it('is not kept at all where it cannot be taken out, and is a success all the same', async () => {
    const { call } = setting({ redact: () => expect.unreachable() });
    expect(await call('make_key', 'c1', { key: 'k-123' })).toMatchObject({ ok: true });
    expect(gist(await call('make_key', 'c2', 'never'))).toBe('result_not_kept, done');
  });
});
