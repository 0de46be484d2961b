import { memorySink } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { type LedgerStore, memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, measured } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { META } from '../proxy/meta.js';
import { guardedRequest } from './guarded-request.js';
import { type HonorOptions, honorGuard } from './honor-guard.js';
import { kinds, type Pay, refusals, speakWith } from './served.fixture.js';

const paid: Pay = async (bill) => ({ content: [{ text: `paid ${bill}` }] });

/** A server on a ledger whose tool is the test's, and counts how often it is called. */
async function serving(
  pay: Pay,
  {
    kind = 'McpServer of version 1',
    ledger,
    ...options
  }: Partial<HonorOptions> & { readonly kind?: string; readonly ledger?: LedgerStore } = {},
) {
  const clock = manualClock();
  const events = memorySink();
  const store = ledger ?? memoryLedger({ now: clock.wallMs });
  let calls = 0;
  const make = kinds[kind];
  if (make === undefined) throw new TypeError(kind);
  const server = make((bill, signal) => {
    calls += 1;
    return pay(bill, signal);
  });
  honorGuard(server, { ledger: store, clock, events: [events], ...options });
  const { call, cancel, answers } = await speakWith(server);
  await clock.advance(0);
  const settled = () => clock.advance(0);
  return {
    clock,
    events,
    ledger: store,
    calls: () => calls,
    cancel,
    answers,
    result: (id: string) => answers.get(id)?.result,
    text: (id: string) =>
      answers
        .get(id)
        ?.result?.content?.map(({ text }) => text)
        .join(),
    async call(id: string, bill: string, meta: object = {}) {
      call(id, { bill }, meta);
      await settled();
    },
    settled,
  };
}

/** A tool that waits until the test lets it go on. */
function held() {
  let release = (): void => {};
  let signal: AbortSignal | undefined;
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  const pay: Pay = async (bill, given) => {
    signal = given;
    await opened;
    return paid(bill, given);
  };
  return { pay, release: () => release(), isAborted: () => signal?.aborted };
}

const keyed = (key: string) => ({ [META.key]: key });

describe.each(Object.keys(kinds))('%s', (kind) => {
  it('does what a key stands for once, and gives its result again', async () => {
    const { call, calls, result, text } = await serving(paid, { kind });
    await call('a', 'b1', keyed('k1'));
    await call('b', 'b1', keyed('k1'));
    expect(calls()).toBe(1);
    expect([text('a'), text('b')]).toEqual(['paid b1', 'paid b1']);
    expect(result('a')?._meta?.[META.folded]).toBeUndefined();
    expect(result('b')?._meta).toMatchObject({ [META.folded]: 'replayed' });
  });

  it('is given a guard once: twice, a call would wait for itself', () => {
    const server = kinds[kind]?.(paid);
    if (server === undefined) expect.unreachable();
    honorGuard(server, { ledger: memoryLedger() });
    expect(() => honorGuard(server, { ledger: memoryLedger() })).toThrow('once for each server');
  });

  it('lets calls without a key, and results of plain callers, be as they are', async () => {
    const { call, calls, result } = await serving(paid, { kind });
    await call('a', 'b1');
    await call('b', 'b1');
    expect(calls()).toBe(2);
    expect(result('a')).toEqual({ content: [{ type: 'text', text: 'paid b1' }] });
  });

  it('takes the same key with other arguments for a mistake', async () => {
    const { call, calls, result } = await serving(paid, { kind });
    await call('a', 'b1', keyed('k1'));
    await call('b', 'b2', keyed('k1'));
    expect(calls()).toBe(1);
    expect(result('b')).toMatchObject({
      isError: true,
      _meta: { [META.failure]: { kind: 'intent_conflict' }, [META.effect]: 'none' },
    });
  });

  it('has a repetition wait while the first is under way', async () => {
    const { pay, release } = held();
    const { call, calls, settled, text } = await serving(pay, { kind });
    await call('a', 'b1', keyed('k1'));
    await call('b', 'b1', keyed('k1'));
    expect(text('b')).toBeUndefined();
    release();
    await settled();
    expect(calls()).toBe(1);
    expect([text('a'), text('b')]).toEqual(['paid b1', 'paid b1']);
  });

  it('keeps what a cancelled call did, although nobody hears of it', async () => {
    const { pay, release, isAborted } = held();
    const { call, calls, cancel, settled, text, answers } = await serving(pay, { kind });
    await call('a', 'b1', keyed('k1'));
    cancel('a');
    await settled();
    expect(isAborted()).toBe(true);
    release();
    await settled();
    expect(answers.has('a')).toBe(false);
    await call('b', 'b1', keyed('k1'));
    expect(calls()).toBe(1);
    expect(text('b')).toBe('paid b1');
  });

  it('ends the wait at the deadline, and keeps what comes later', async () => {
    const { pay, release, isAborted } = held();
    const { call, calls, clock, result, settled, text } = await serving(pay, { kind });
    await call('a', 'b1', { ...keyed('k1'), [META.deadlineMs]: 400 });
    await clock.advance(399);
    expect([result('a'), isAborted()]).toEqual([undefined, false]);
    await clock.advance(1);
    expect(isAborted()).toBe(true);
    expect(result('a')).toMatchObject({
      isError: true,
      _meta: { [META.failure]: { kind: 'timed_out' }, [META.effect]: 'unknown' },
    });
    release();
    await settled();
    await call('b', 'b1', keyed('k1'));
    expect(calls()).toBe(1);
    expect(text('b')).toBe('paid b1');
    // The lease of what was under way is let run out.
    await clock.advance(30_000);
    expect(clock.pending()).toBe(0);
  });

  it('tells the tool who asks, for how long, and takes its word for what an error did', async () => {
    const seen: unknown[] = [];
    const { call, calls, result } = await serving(
      async () => {
        const request = guardedRequest();
        seen.push(request?.idempotencyKey, request?.attempt, request?.intent, request?.remainingMs);
        request?.states('none');
        return { content: [{ text: 'sold out' }], isError: true };
      },
      { kind },
    );
    const meta = { [META.deadlineMs]: 900, [META.attempt]: 2, [META.intent]: 'order 7' };
    await call('a', 'b1', { ...keyed('k1'), ...meta });
    expect(seen).toEqual(['k1', 2, 'order 7', 900]);
    expect(result('a')?._meta).toMatchObject({ [META.effect]: 'none', [META.spentMs]: 0 });
    // Nothing was done, so the same key may try again.
    await call('b', 'b1', keyed('k1'));
    expect(calls()).toBe(2);
  });

  it('does not do again what failed without a word, and says so', async () => {
    const { call, calls, result } = await serving(
      async () => ({ content: [{ text: 'the database went away' }], isError: true }),
      { kind },
    );
    await call('a', 'b1', keyed('k1'));
    expect(result('a')).toMatchObject({ isError: true, _meta: { [META.effect]: 'unknown' } });
    await call('b', 'b1', keyed('k1'));
    expect(calls()).toBe(1);
    expect(result('b')?._meta).toMatchObject({
      [META.failure]: { kind: 'outcome_unknown', effect: 'unknown' },
    });
  });
});

describe('what an error did', () => {
  it.each(refusals)('is nothing where the request itself was refused (%#)', async (error) => {
    const isFirst = error === refusals[0];
    const kind = isFirst ? 'Server of version 1' : 'Server of version 2';
    const { call, calls, answers } = await serving(() => Promise.reject(error), { kind });
    await call('a', 'b1', keyed('k1'));
    expect(answers.get('a')?.error).toMatchObject({
      code: -32_602,
      data: { [META.effect]: 'none' },
    });
    await call('b', 'b1', keyed('k1'));
    expect(calls()).toBe(2);
  });

  it('is nothing where the SDK refuses the arguments', async () => {
    const { call, calls, result } = await serving(paid);
    await call('a', 7 as never, keyed('k1'));
    expect(result('a')).toMatchObject({ isError: true, _meta: { [META.effect]: 'none' } });
    // The key was given to other arguments, though they were refused.
    await call('b', 'b1', keyed('k1'));
    expect(result('b')?._meta).toMatchObject({ [META.failure]: { kind: 'intent_conflict' } });
    expect(calls()).toBe(0);
  });

  it('is as the owner of the server says, where nobody else does', async () => {
    const { call, calls } = await serving(
      async () => ({ content: [{ text: 'out of stock' }], isError: true }),
      { effectOnError: 'none' },
    );
    await call('a', 'b1', keyed('k1'));
    await call('b', 'b1', keyed('k1'));
    expect(calls()).toBe(2);
  });
});

describe('a call that cannot be made', () => {
  it('is refused when nothing is left of its time, or less than the tool takes', async () => {
    const registry = defineRegistry({
      name: 'bills',
      resourceGroups: { bills: {} },
      tools: [
        defineTool({
          name: 'pay',
          summary: 'Pay a bill.',
          input: z.object({ bill: z.string() }),
          idempotency: {
            class: 'idempotent-write',
            sentAs: { meta: 'com.example/request-id' },
            serverKeepsKeyFor: '1d',
          },
          latency: measured({
            p50: 200,
            p95: 300,
            p99: 400,
            samples: 100,
            measuredAt: '2026-11-01',
          }),
          resourceGroup: 'bills',
          owner: 'bills@team',
        }),
      ],
    });
    const { call, calls, result, text } = await serving(paid, { registry });
    await call('a', 'b1', { [META.deadlineMs]: 0 });
    await call('b', 'b1', { [META.deadlineMs]: 199 });
    expect(calls()).toBe(0);
    expect(result('b')).toMatchObject({
      isError: true,
      _meta: { [META.failure]: { kind: 'deadline_exceeded', details: { neededMs: 200 } } },
    });
    // The key stands where the entry says.
    await call('c', 'b1', { 'com.example/request-id': 'k1', [META.deadlineMs]: 200 });
    await call('d', 'b1', { 'com.example/request-id': 'k1' });
    expect(calls()).toBe(1);
    expect(text('d')).toBe('paid b1');
  });

  it.each(['', 'x'.repeat(256), 7])('is refused under a key that is none (%#)', async (key) => {
    const { call, calls, result } = await serving(paid);
    await call('a', 'b1', { [META.key]: key });
    expect(calls()).toBe(0);
    expect(result('a')?._meta).toMatchObject({ [META.failure]: { kind: 'invalid_arguments' } });
  });

  it('is refused when it cannot be written down', async () => {
    const { call, calls, result, ledger } = await serving(paid);
    await ledger.close();
    await call('a', 'b1', keyed('k1'));
    expect(calls()).toBe(0);
    expect(result('a')?._meta).toMatchObject({
      [META.failure]: { kind: 'ledger_unavailable' },
      [META.effect]: 'none',
    });
    // Who sends no key needs no ledger.
    await call('b', 'b1');
    expect(calls()).toBe(1);
  });
});

describe('a result', () => {
  it('that is too large to be kept is given once, and then said to be done', async () => {
    const { call, calls, result } = await serving(async () => ({
      content: [{ text: 'x'.repeat(1_100_000) }],
    }));
    await call('a', 'b1', keyed('k1'));
    expect(result('a')?.isError).toBeUndefined();
    await call('b', 'b1', keyed('k1'));
    expect(calls()).toBe(1);
    expect(result('b')?._meta).toMatchObject({
      [META.failure]: { kind: 'result_not_kept', effect: 'done' },
    });
  });
});

describe('the options', () => {
  it('are checked', () => {
    const server = kinds['Server of version 1']?.(paid);
    expect(() => honorGuard({} as never, { ledger: memoryLedger() })).toThrow('server');
    expect(() => honorGuard(server as never, {} as never)).toThrow('ledger');
  });
});
