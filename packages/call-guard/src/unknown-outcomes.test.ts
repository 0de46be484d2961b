import { memoryLedger } from '@holdfast/effect-ledger';
import {
  assumed,
  defineRegistry,
  defineTool,
  isSetupError,
  type ProbeAnswer,
  read,
} from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Clock } from './clock.js';
import { createGuard } from './guard.js';
import { coded, type Desk, desk, failureOf, gate, gist, never } from './order-tools.fixture.js';
import { manualClock } from './testing/manual-clock.js';

const charge = (callId: string) => ({ tool: 'charge', args: { orderId: 'o1' }, callId }) as const;

/** A charge whose answer was lost. */
async function lost({ run, guard }: Desk): Promise<string> {
  return gist(
    await run(() =>
      guard.call(charge('c1'), async () => {
        throw coded('ECONNRESET');
      }),
    ),
  );
}

const doIt = { tool: 'do_it', args: {}, callId: 'c1' } as const;

/** Fails after a time. */
async function afterMs(ms: number, clock: Clock, error: Error): Promise<never> {
  await clock.sleep(ms);
  throw error;
}

/** A tool without a key, and the read that is asked whether it did something. */
function probed(probe: {
  readonly answer: () => ProbeAnswer<never>;
  readonly inFlightHorizon?: number;
}) {
  const find = defineTool({
    name: 'find_it',
    summary: 'Find it.',
    input: z.object({}),
    idempotency: read(),
    resourceGroup: 'g',
    owner: 'o@team',
  });
  const doing = defineTool({
    name: 'do_it',
    summary: 'Do.',
    input: z.object({}),
    idempotency: { class: 'irreversible' },
    compensation: { tool: 'none', avoidBy: 'accept', reason: 'nobody minds' },
    probe: { tool: find, args: () => ({}), ...probe },
    latency: assumed(1_000),
    resourceGroup: 'g',
    owner: 'o@team',
  });
  return defineRegistry({ name: 'r', resourceGroups: { g: {} }, tools: [find, doing] });
}

/** A tool whose probe never finds anything, as of now; time passes as it is waited for. */
function aged(horizon: { readonly inFlightHorizon?: number }) {
  const time = manualClock();
  const clock: Clock = {
    ...time,
    async sleep(ms) {
      await time.advance(ms);
    },
  };
  const registry = probed({
    answer: () => ({
      found: 'absent',
      authoritative: true,
      // Its clock is ahead by a little.
      asOf: new Date(clock.wallMs() + 50_000),
    }),
    ...horizon,
  });
  const ledger = memoryLedger({ now: clock.wallMs });
  const executors = { find_it: async () => 'nothing' };
  const guard = createGuard({ registry, ledger, clock, executors });
  return {
    guard,
    ledger,
    clock,
    run: <T>(work: () => Promise<T>) => guard.inRun({ intentId: 'i1' }, work),
  };
}

describe('an unknown outcome whose tool has a probe', () => {
  it('is known at once when the other side has it', async () => {
    const shop = desk();
    shop.charges.id = 'ch_1';
    const answer = await shop.run(() =>
      shop.guard.call(charge('c1'), async () => {
        throw coded('ECONNRESET');
      }),
    );
    expect(answer).toMatchObject({ ok: true, result: { chargeId: 'ch_1' }, folded: false });
    expect(shop.charges.asked).toBe(1);
    expect((await shop.rows()).map((row) => row.state)).toEqual(['succeeded']);
    expect(shop.events.of('effect_settled').map((event) => event.by)).toEqual(['probe']);
  });

  it('is made known by the next equal call when the other side has it by then', async () => {
    const shop = desk();
    expect(await lost(shop)).toBe('transport_lost, unknown');
    shop.charges.id = 'ch_1';
    const again = await shop.run(() =>
      shop.guard.call(charge('c2'), async () => expect.unreachable()),
    );
    expect(again).toMatchObject({ ok: true, result: { chargeId: 'ch_1' }, folded: 'folded' });
    expect(shop.events.of('effect_probed').map((event) => event.found)).toEqual([
      'cannot-tell',
      'one',
    ]);
  });

  it('stays unknown while the request may still be on its way, and is then sent again', async () => {
    const shop = desk();
    await lost(shop);
    const horizonMs = 62_000;
    let ran = 0;
    const again = (callId: string) =>
      shop.run(() =>
        shop.guard.call(charge(callId), async () => {
          ran += 1;
          return { chargeId: 'ch_2' };
        }),
      );
    await shop.clock.advance(horizonMs);
    shop.charges.asOf = shop.clock.wallMs();
    expect(gist(await again('c2'))).toBe('outcome_unknown, unknown');
    await shop.clock.advance(1);
    shop.charges.asOf = shop.clock.wallMs();
    shop.charges.authoritative = false;
    expect(gist(await again('c3'))).toBe('outcome_unknown, unknown');
    shop.charges.authoritative = true;
    expect(ran).toBe(0);
    expect(gist(await again('c4'))).toBe('ok');
    expect(ran).toBe(1);
    expect((await shop.rows()).map((row) => [row.state, row.attempts.length])).toEqual([
      ['succeeded', 2],
    ]);
  });

  it('that is absent past the horizon right away counts as certainly failed', async () => {
    const { guard, ledger, clock, run } = aged({ inFlightHorizon: 0 });
    const answer = await run(() => guard.call(doIt, () => afterMs(5, clock, coded('ECONNRESET'))));
    expect(gist(answer)).toBe('transport_lost, none');
    expect(
      (await ledger.find({ tenant: 'default', intentId: 'i1' })).map((row) => row.state),
    ).toEqual(['failed']);
  });

  it('is not absent as of a time before its last try, or that is not yet: nothing is sent twice', async () => {
    const { guard, ledger, clock, run } = aged({});
    let sent = 0;
    const limitedThenLost = async () => {
      sent += 1;
      if (sent === 1) {
        throw Object.assign(new Error('slow down'), {
          status: 429,
          headers: { 'retry-after': '120' },
        });
      }
      return afterMs(5, clock, coded('ECONNRESET'));
    };
    expect(gist(await run(() => guard.call(doIt, limitedThenLost)))).toBe(
      'transport_lost, unknown',
    );
    expect(
      (await ledger.find({ tenant: 'default', intentId: 'i1' })).map((row) => row.state),
    ).toEqual(['unknown']);
    expect(gist(await run(() => guard.call({ ...doIt, callId: 'c2' }, limitedThenLost)))).toBe(
      'outcome_unknown, unknown',
    );
    expect(sent).toBe(2);
  });

  it('is not asked about after the caller gave up', async () => {
    const shop = desk();
    const caller = new AbortController();
    const answer = shop.run(() =>
      shop.guard.call({ ...charge('c1'), signal: caller.signal }, never),
    );
    await shop.clock.advance(0);
    caller.abort();
    expect(gist(await answer)).toBe('cancelled, unknown');
    expect(shop.charges.asked).toBe(0);
  });

  it('has a probe that fails or never answers: it cannot tell, within its time limit', async () => {
    let asked = 0;
    const shop = desk({
      settings: { attempts: 1, probeTimeoutMs: 500 },
      executors: {
        get_order: never,
        find_charge: () => {
          asked += 1;
          if (asked === 1) throw new Error('the register is away');
          return never();
        },
      },
    });
    expect(await lost(shop)).toBe('transport_lost, unknown');
    const again = shop.run(() => shop.guard.call(charge('c2'), async () => expect.unreachable()));
    await shop.clock.advance(500);
    expect(gist(await again)).toBe('outcome_unknown, unknown');
    expect(shop.events.of('effect_probed').map((event) => event.why)).toEqual([
      'find_charge: dependency_failed',
      'find_charge: timed_out',
    ]);
    expect(shop.clock.pending()).toBe(0);
  });

  it('does not count its probes as calls of the run', async () => {
    const shop = desk();
    const { run: opened } = shop.guard.adapter.openRun(
      { tenant: 'default', runId: 'r', intentId: 'i1' },
      'once',
    );
    await shop.guard.adapter.call(charge('c1'), { run: opened }, async () => {
      throw coded('ECONNRESET');
    });
    expect(opened.ends.open.map((end) => end.tool)).toEqual(['charge']);
  });

  it('survives evidence that has no JSON form', async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const registry = probed({ answer: () => ({ found: 'one', evidence: loop }) });
    const guard = createGuard({
      registry,
      ledger: memoryLedger(),
      executors: { find_it: async () => 'found' },
    });
    const answer = await guard.inRun({ intentId: 'i1' }, () =>
      guard.call({ tool: 'do_it', args: {}, callId: 'c1' }, async () => {
        throw coded('ECONNRESET');
      }),
    );
    expect(gist(answer)).toBe('result_not_kept, done');
  });
});

describe('DU-14: a service that goes on after the caller`s timeout, and ignores that it was cancelled', () => {
  it('is not sent the request again; the probe settles it, and the late answer changes nothing', async () => {
    const shop = desk();
    const service = gate<{ chargeId: string }>();
    let sent = 0;
    const first = shop.run(() =>
      shop.guard.call(charge('c1'), () => {
        sent += 1;
        return service.promise;
      }),
    );
    await shop.clock.advance(1_000);
    expect(gist(await first)).toBe('timed_out, unknown');
    // Under a new id, while the service still works on the first: it is waited for, not repeated.
    const second = shop.run(() =>
      shop.guard.call(charge('c2'), async () => {
        sent += 1;
        return { chargeId: 'ch_2' };
      }),
    );
    await shop.clock.advance(500);
    shop.charges.id = 'ch_1';
    // It asks the other side when its own patience is over.
    await shop.clock.advance(500);
    expect(await second).toMatchObject({ ok: true, result: { chargeId: 'ch_1' } });
    service.open({ chargeId: 'ch_1' });
    await shop.clock.advance(0);
    expect(sent).toBe(1);
    expect((await shop.rows()).map(({ state }) => state)).toEqual(['succeeded']);
    expect(shop.clock.pending()).toBe(0);
  });

  it('is told once that nobody waits any more, and what it did nevertheless is found out', async () => {
    const { clock, guard, run, rows, charges } = desk();
    const service = gate<{ chargeId: string }>();
    let told = 0;
    const first = run(() =>
      guard.call(charge('c1'), (_args, { signal }) => {
        signal.addEventListener('abort', () => {
          told += 1;
        });
        return service.promise;
      }),
    );
    await clock.advance(1_000);
    expect(gist(await first)).toBe('timed_out, unknown');
    await clock.advance(1_999);
    expect(told).toBe(0);
    await clock.advance(10_000);
    expect(told).toBe(1);
    expect((await rows()).map(({ state }) => state)).toEqual(['unknown']);

    charges.id = 'ch_1';
    const second = await run(() => guard.call(charge('c2'), async () => expect.unreachable()));
    expect(second).toMatchObject({ ok: true, result: { chargeId: 'ch_1' } });
    service.open({ chargeId: 'ch_1' });
    await clock.advance(0);
    expect((await rows()).map(({ state }) => state)).toEqual(['succeeded']);
    expect(clock.pending()).toBe(0);
  });
});

describe('what a probe can say besides yes and no', () => {
  it('it took place more than once: nothing is sent, and a person has to look', async () => {
    const shop = desk();
    shop.charges.says = 'many';
    const first = await shop.run(() =>
      shop.guard.call(charge('c1'), async () => {
        throw coded('ECONNRESET');
      }),
    );
    const again = await shop.run(() =>
      shop.guard.call(charge('c2'), async () => expect.unreachable()),
    );
    for (const answer of [first, again]) {
      expect(failureOf(answer)).toMatchObject({
        kind: 'outcome_unknown',
        effect: 'unknown',
        details: { duplicate: true, checking: false },
        next: { by: 'nobody', advice: 'hand_off' },
      });
      expect(failureOf(answer).forModel).toContain('took place more than once');
    }
    expect(shop.events.of('effect_probed').map(({ found }) => found)).toEqual(['many', 'many']);
    expect((await shop.rows()).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('it is still under way: nothing is sent, and it is being checked', async () => {
    const shop = desk();
    shop.charges.says = 'pending';
    expect(await lost(shop)).toBe('transport_lost, unknown');
    const again = await shop.run(() =>
      shop.guard.call(charge('c2'), async () => expect.unreachable()),
    );
    expect(failureOf(again).details).toMatchObject({ checking: true });
    shop.charges.says = 'one';
    shop.charges.id = 'ch_1';
    const known = await shop.run(() =>
      shop.guard.call(charge('c3'), async () => expect.unreachable()),
    );
    expect(known).toMatchObject({ ok: true, result: { chargeId: 'ch_1' } });
  });

  it('nothing, within its own time', async () => {
    const shop = desk();
    shop.charges.answers = false;
    const answer = lost(shop);
    await shop.clock.advance(10_000 - 1);
    expect(shop.events.of('effect_probed')).toEqual([]);
    // Three tries of the probe, each cut short by the time that is left to it.
    await shop.clock.advance(1);
    expect(await answer).toBe('transport_lost, unknown');
    expect(shop.events.of('effect_probed')).toMatchObject([
      { found: 'cannot-tell', why: 'find_charge: timed_out' },
    ]);
    expect(shop.clock.pending()).toBe(0);
  });

  it('nothing, while its own breaker is open', async () => {
    const shop = desk();
    shop.guard.breakers.open('find_charge');
    expect(await lost(shop)).toBe('transport_lost, unknown');
    expect(shop.charges.asked).toBe(0);
    expect(shop.events.of('effect_probed')).toMatchObject([
      { found: 'cannot-tell', why: 'find_charge: tool_disabled' },
    ]);
  });

  it('what it can say does not depend on what is left of the run', async () => {
    const shop = desk({ limits: { deadline: 1_000 } });
    shop.charges.id = 'ch_1';
    const answer = shop.run(() => shop.guard.call(charge('c1'), () => never()));
    await shop.clock.advance(1_000);
    expect(await answer).toMatchObject({ ok: true, result: { chargeId: 'ch_1' } });
  });
});

describe('an unknown outcome that its entry lets count as done', () => {
  const publish = (callId: string) =>
    ({ tool: 'publish', args: { text: 'hello' }, callId }) as const;

  it('is done at once, its result not known', async () => {
    const { run, guard, rows, events } = desk();
    const first = await run(() =>
      guard.call(publish('c1'), async () => {
        throw coded('ECONNRESET');
      }),
    );
    expect(gist(first)).toBe('result_not_kept, done');
    expect(gist(await run(() => guard.call(publish('c2'), never)))).toBe('result_not_kept, done');
    expect((await rows()).map(({ state }) => state)).toEqual(['succeeded']);
    expect(events.of('effect_settled').map(({ by }) => by)).toEqual(['policy']);
  });

  it('of a call that was given up, with the next equal call', async () => {
    const { run, guard, after, events } = desk();
    const caller = new AbortController();
    const first = run(() =>
      guard.call({ ...publish('c1'), signal: caller.signal }, () => {
        queueMicrotask(() => caller.abort());
        return never();
      }),
    );
    expect(gist(await first)).toBe('cancelled, unknown');
    // It may still answer for a while.
    const second = await after(
      2_000,
      run(() => guard.call(publish('c2'), never)),
    );
    expect(gist(second)).toBe('result_not_kept, done');
    expect(events.of('effect_settled').map(({ by }) => by)).toEqual(['attempt', 'policy']);
  });
});

describe('a guard whose probe nothing can execute', () => {
  it('says so at the first call', async () => {
    const { run, guard, charges } = desk({ executors: {} });
    const error: unknown = await run(() =>
      guard.call(charge('c1'), async () => expect.unreachable()),
    ).catch((caught: unknown) => caught);
    expect(isSetupError(error, 'executor_missing')).toBe(true);
    expect(isSetupError(error) && error.field).toBe('tools.charge.probe');
    guard.adapter.registerExecutor('find_charge', async () => ({ ...charges, id: null }));
    guard.adapter.checkExecutors(['charge']);
    expect(() => guard.adapter.checkExecutors(['charge', 'move_order'])).toThrow('get_order');
  });
});
