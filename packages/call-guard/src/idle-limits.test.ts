import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { IdleClock } from './call/idle-clock.js';
import { createGuard } from './guard.js';
import { failureOf, gate, gist, never } from './order-tools.fixture.js';
import { manualClock } from './testing/manual-clock.js';

const common = {
  input: z.looseObject({}),
  timeouts: { idle: 200, total: 500 },
  resourceGroup: 'desk',
  owner: 'desk@team',
};
const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({ ...common, name: 'look', summary: 'Look.', idempotency: read() }),
    defineTool({
      ...common,
      name: 'pay',
      summary: 'Pay.',
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
    }),
  ],
});

function setting(tool: 'look' | 'pay' | 'unheard_of', work: () => Promise<unknown> = never) {
  const clock = manualClock();
  const guard = createGuard({
    registry,
    ledger: memoryLedger({ now: clock.wallMs }),
    clock,
    settings: { attempts: 1 },
  });
  const { run } = guard.adapter.openRun({ tenant: 'default', runId: 'r', intentId: 'i' }, 'once');
  const clocks: IdleClock[] = [];
  const watchIdle = (idle: IdleClock) => {
    clocks.push(idle);
  };
  let signal: AbortSignal | undefined;
  const call = (callId: string, host = {}) =>
    guard.adapter.call({ tool, args: {}, callId }, { run, watchIdle, ...host }, (_, context) => {
      signal = context.signal;
      return work();
    });
  return { clock, call, clocks, signal: () => signal };
}

describe('MCP-13, RS-39: the idle limit of a call', () => {
  it('ends a call that shows no sign of life, at once', async () => {
    const { clock, call, signal } = setting('look');
    const answer = call('c1');
    await clock.advance(199);
    expect(signal()?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal()?.aborted).toBe(true);
    expect(gist(await answer)).toBe('timed_out, none');
    expect(failureOf(await answer).details).toEqual({
      limit: 'idle',
      afterMs: 200,
      stillRunning: true,
    });
    expect(clock.pending()).toBe(0);
  });

  it('begins anew with each sign of life, and the total stays what it is', async () => {
    const { clock, call, clocks } = setting('look');
    const answer = call('c1');
    for (let ms = 0; ms < 500; ms += 50) {
      await clock.advance(50);
      clocks[0]?.alive();
    }
    expect(failureOf(await answer).details).toMatchObject({ limit: 'tool', afterMs: 500 });
    expect(clock.pending()).toBe(0);
  });

  it('does not run while the call waits for somebody else, of whom there may be several', async () => {
    const { clock, call, clocks } = setting('look');
    const answer = call('c1');
    await clock.advance(100);
    const goOn = [clocks[0]?.pause(), clocks[0]?.pause()];
    await clock.advance(150);
    goOn[0]?.();
    goOn[0]?.();
    clocks[0]?.alive();
    await clock.advance(50);
    goOn[1]?.();
    await clock.advance(199);
    expect(clock.pending()).toBeGreaterThan(0);
    await clock.advance(1);
    expect(failureOf(await answer).details).toMatchObject({ limit: 'tool' });
  });

  it('leaves the outcome of a write unknown, and its late answer settles it', async () => {
    const work = gate<string>();
    const { clock, call, signal } = setting('pay', () => work.promise);
    const answer = call('c1');
    await clock.advance(200);
    expect(gist(await answer)).toBe('timed_out, unknown');
    expect(signal()?.aborted).toBe(false);
    work.open('paid');
    await clock.advance(0);
    expect(await call('c2')).toMatchObject({ ok: true, result: 'paid', folded: 'folded' });
    expect(clock.pending()).toBe(0);
  });

  it('is not there where nobody sees signs of life, or nothing is declared', async () => {
    const unseen = setting('look');
    const blind = unseen.call('c1', { watchIdle: undefined });
    await unseen.clock.advance(499);
    expect(unseen.clock.pending()).toBe(1);
    await unseen.clock.advance(1);
    expect(failureOf(await blind).details).toMatchObject({ limit: 'tool' });
    const { call, clocks } = setting('unheard_of', async () => 'done');
    await call('c1');
    expect(clocks).toEqual([]);
  });
});
