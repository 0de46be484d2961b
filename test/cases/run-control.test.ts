/** What bounds a run: its time, its breakers, its loops, and how much of all that is switched on. */
import { getEventListeners } from 'node:events';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { Command } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { caseTools } from '../support/case-tools.js';
import { until } from '../support/gate.js';
import { answerTo, asked, failureIn, lastOf, onThread, scene } from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const bounded = { ...onThread, limits: { deadline: '10s' } } as const;
const slot = { orderId: 'o1', slot: 'A' };
const unavailable = (): never => {
  throw Object.assign(new Error('unavailable'), { status: 503 });
};
const inThread = (thread_id: string) => ({ configurable: { thread_id } });

describe.each(agentKinds)('$name', (kind) => {
  it('RS-22: a call that cannot finish in what is left is not started, and the report says so', async () => {
    const { world, clock, events, process } = scene();
    const { guard, agent, model } = process(
      kind,
      [
        asksFor('set_slot', slot, 'c1'),
        asksFor('make_report', { about: 'o1' }, 'c2'),
        says('The slot is set; there was no time for the report.'),
      ],
      { afterwards: { set_slot: () => clock.pass(6_000) } },
    );
    const { output, report } = await guard.run(agent, asked('Set it, then report.'), bounded);
    expect(failureIn(answerTo('c2', output))).toBe('deadline_exceeded');
    expect(model.told.at(-1)?.at(-1)?.text).toMatch(/needs 5 s, and 4 s are left/);
    expect(world.deeds.map(({ tool }) => tool)).toEqual(['set_slot']);
    expect(report).toMatchObject({
      status: 'partial',
      time: { capMs: 10_000, consumedMs: 6_000, leftMs: 4_000 },
      notDone: [{ kind: 'deadline_exceeded' }],
    });
    expect(events.of('budget_exhausted')).toMatchObject([{ neededMs: 5_000, leftMs: 4_000 }]);
    expect(events.of('budget_allocated')).toMatchObject([{ deadlineMs: 10_000, source: 'run' }]);
  });

  it('a deadline is not refilled by a pause, and waiting for a person does not count', async () => {
    const { world, clock, events, process } = scene();
    const first = process(
      kind,
      [asksFor('set_slot', slot, 'c1'), asksFor('approve', { what: 'go on' }, 'c2')],
      { afterwards: { set_slot: () => clock.pass(6_000) } },
    );
    const paused = await first.guard.run(first.agent, asked('Ask me.'), bounded);
    expect(paused.report.status).toBe('interrupted');
    clock.pass(3_600_000);
    const second = process(kind, [asksFor('make_report', { about: 'o1' }, 'c3'), says('No time.')]);
    const { output } = await second.guard.run(
      second.agent,
      new Command({ resume: 'yes' }) as never,
      onThread,
    );
    expect(failureIn(answerTo('c3', output))).toBe('deadline_exceeded');
    expect(world.count('approve')).toBe(1);
    expect(events.of('budget_allocated').at(-1)).toMatchObject({
      source: 'resumed',
      consumedMs: 6_000,
    });
  });

  it('a run that hangs is over with its deadline', async () => {
    const { process, clock } = scene();
    const { guard, agent } = process(
      kind,
      [() => new Promise<never>(() => {})],
      // The scene's clock rings no alarms.
      { guard: scene().guard({ clock: { ...clock, alarm: (_ms, _alive, ring) => soon(ring) } }) },
    );
    const { report, ...rest } = await guard.run(agent, asked('Hang.'), bounded);
    expect(report.status).toBe('failed');
    expect('error' in rest && String(rest.error)).toMatch(/deadline|abort/i);
  });

  it('LG-40: a broken tool is called no more, in this run and for a while in others', async () => {
    const { world, clock, events, process } = scene();
    const broken = { afterwards: { get_order: unavailable } };
    const first = process(
      kind,
      [
        asksFor('get_order', { orderId: 'o1' }, 'c1'),
        asksFor('get_order', { orderId: 'o2' }, 'c2'),
        asksFor('get_order', { orderId: 'o3' }, 'c3'),
        (told) => {
          // In this run it stays off when others may try it again.
          clock.pass(30_000);
          expect(told.at(-1)?.text).toMatch(/status: circuit_open/);
          return asksFor('get_order', { orderId: 'o4' }, 'c4');
        },
        says('It is broken.'),
      ],
      broken,
    );
    const { output } = await first.guard.run(first.agent, asked('Look.'), inThread('A'));
    expect(['c1', 'c2', 'c3', 'c4'].map((id) => failureIn(answerTo(id, output)))).toEqual([
      'dependency_failed',
      'dependency_failed',
      'circuit_open',
      'tool_disabled',
    ]);
    expect(world.count('get_order')).toBe(5);
    expect(events.of('breaker_state_changed')[0]).toMatchObject({
      name: 'get_order',
      to: 'open',
      consecutive: 5,
    });
    const other = process(kind, [asksFor('get_order', { orderId: 'o5' }, 'c5'), says('There.')], {
      guard: first.guard,
    });
    const again = await other.guard.run(other.agent, asked('Look.'), inThread('B'));
    expect(answerTo('c5', again.output).status).toBe('success');
    expect(first.guard.breakers.health('get_order')).toMatchObject({ state: 'half-open' });
  });

  it('a wait before another try can be seen', async () => {
    const { process } = scene();
    let tries = 0;
    const { guard, agent } = process(
      kind,
      [asksFor('get_order', { orderId: 'o1' }, 'c1'), says('There.')],
      { afterwards: { get_order: () => (++tries === 1 ? unavailable() : { found: true }) } },
    );
    const shown: unknown[] = [];
    const stream = guard.stream(
      agent as never,
      asked('Look.') as never,
      {
        ...onThread,
        streamMode: 'custom',
      } as never,
    );
    for await (const chunk of stream) shown.push(chunk);
    expect(shown).toEqual([
      expect.objectContaining({ type: 'holdfast', tool: 'get_order', attempt: 2, callId: 'c1' }),
    ]);
    expect((await stream.result).report.status).toBe('complete');
  });

  it('RS-21: a run that is aborted while a call waits for its next try ends at once', async () => {
    const { world, clock, events, process } = scene();
    const { guard, agent } = process(kind, [asksFor('get_order', { orderId: 'o1' }, 'c1')], {
      afterwards: {
        get_order: () => {
          const headers = { 'retry-after': '60' };
          throw Object.assign(new Error('too many'), { status: 429, headers });
        },
      },
    });
    const user = new AbortController();
    const run = agent.invoke(asked('Look.'), { ...onThread, signal: user.signal });
    await until(() => guard.counts().retry_scheduled === 1);
    user.abort(new Error('enough'));
    await expect(run).rejects.toThrow(/enough|abort/i);
    await until(() => guard.counts().call_finished === 1);
    // What is known of the try that was made stands.
    expect(events.of('call_finished')).toMatchObject([{ kind: 'rate_limited', attempts: 1 }]);
    clock.pass(120_000);
    await endOfTurn();
    expect(world.count('get_order')).toBe(1);
    expect(getEventListeners(user.signal, 'abort')).toEqual([]);
  });

  it('RS-17: retries are a share of the calls, whatever each call is allowed', async () => {
    const { world, events, process, guard: make } = scene();
    const settings = { retryBudgetFloor: 0, breakerConsecutive: 100, breakerFailures: 100 };
    const { guard, agent } = process(
      kind,
      [asksFor('get_order', { orderId: 'o1' }, 'c1'), says('It is away.')],
      { guard: make({ settings }), afterwards: { get_order: unavailable } },
    );
    await guard.run(agent, asked('Look.'), onThread);
    expect(world.count('get_order')).toBe(1);
    expect(events.of('retry_denied')).toMatchObject([
      { why: 'the retries of its resource group are used up' },
    ]);
  });

  it('RS-16: a call inside of one that is tried again is made once for each of its tries', async () => {
    const { world, process, guard: make } = scene();
    const guard = make({ settings: { breakerConsecutive: 100, breakerFailures: 100 } });
    const inside: readonly StructuredToolInterface[] = caseTools(world, {
      make_report: unavailable,
    });
    const [report] = guard.tools(inside.filter(({ name }) => name === 'make_report'));
    const { agent } = process(
      kind,
      [asksFor('get_order', { orderId: 'o1' }, 'c1'), says('It is away.')],
      {
        guard,
        afterwards: {
          get_order: async () => {
            await report?.invoke({ about: 'o1' }).catch(() => {});
            return unavailable();
          },
        },
      },
    );
    await guard.run(agent, asked('Look.'), onThread);
    expect([world.count('get_order'), world.count('make_report')]).toEqual([3, 3]);
  });

  it('LG-27: the same call with the same result over and over is refused', async () => {
    const { world, events, process } = scene();
    const ids = ['c1', 'c2', 'c3', 'c4'];
    const { guard, agent } = process(kind, [
      ...ids.map((id) => asksFor('get_order', { orderId: 'o1' }, id)),
      says('I go round in circles.'),
    ]);
    const { output } = await guard.run(agent, asked('Look.'), onThread);
    // The receipts of the cases' tools differ, so this is no loop.
    expect(failureIn(answerTo('c4', output))).toBeUndefined();
    expect(world.count('get_order')).toBe(4);

    const same = process(
      kind,
      [...ids.map((id) => asksFor('get_order', { orderId: 'o1' }, id)), says('Again.')],
      { afterwards: { get_order: () => ({ slot: 'A' }) } },
    );
    const looped = await same.guard.run(same.agent, asked('Look.'), inThread('B'));
    expect(failureIn(answerTo('c4', looped.output))).toBe('loop_detected');
    expect(world.count('get_order')).toBe(7);
    expect(events.of('loop_detected')).toMatchObject([{ repeats: 3 }]);
  });

  // A flow of one's own looks its tools up itself.
  it.runIf(kind.guardsModel && kind.modelNode !== undefined)(
    'LG-27: a tool that does not exist, asked for over and over, ends the run with an answer',
    async () => {
      const { events, process } = scene();
      const asked10 = Array.from({ length: 10 }, (_, i) =>
        asksFor('GetOrder', { orderId: 'o1' }, `c${i}`),
      );
      const { guard, agent, model } = process(kind, [...asked10, says('Never said.')]);
      const { output, report } = await guard.run(agent, asked('Look.'), onThread);
      const kinds = asked10.slice(0, 6).map((_, i) => failureIn(answerTo(`c${i}`, output)));
      expect(kinds).toEqual([
        ...['unknown_tool', 'unknown_tool', 'unknown_tool'],
        ...['loop_detected', 'loop_detected', 'loop_detected'],
      ]);
      expect(answerTo('c0', output).text).toContain('Nearest: get_order');
      // Its seventh message is its last word.
      expect(model.told).toHaveLength(7);
      expect(lastOf(output)).toMatch(/^I stopped here/);
      expect(report.status).not.toBe('complete');
      expect(events.of('warning')).toContainEqual(
        expect.objectContaining({ code: 'loop_ended_run' }),
      );
    },
  );

  it('a guard that is off, or only watches, leaves the agent as it was', async () => {
    for (const mode of ['off', 'shadow'] as const) {
      const { world, ledger, process, guard: make } = scene();
      const guard = make({ mode });
      const { agent } = process(
        kind,
        [
          asksFor('charge', { orderId: 'o1', amount: 5 }, 'c1'),
          asksFor('charge', { orderId: 'o1', amount: 5 }, 'c2'),
          says('Charged twice.'),
        ],
        { guard },
      );
      const { output, report } = await guard.run(agent, asked('Charge.'), onThread);
      expect(world.count('charge')).toBe(2);
      expect(lastOf(output)).toBe('Charged twice.');
      expect(report.status).toBe('complete');
      expect(await ledger.runs({ tenant: 'default', threadId: 'T1' })).toEqual([]);
      expect(guard.shadowReport().saved).toEqual(
        mode === 'shadow' ? { calls: 1, runs: 1 } : { calls: 0, runs: 0 },
      );
    }
  });
});

/** Rings with the next turn of the event loop. */
function soon(ring: () => void): () => void {
  const timer = setImmediate(ring);
  return () => clearImmediate(timer);
}
