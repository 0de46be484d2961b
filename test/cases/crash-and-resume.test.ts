/**
 * A process that dies, in the form that fits into one process: its graph is left hanging, its writes to
 * the saver never land, and its lease runs out. test/crash kills real ones.
 */
import { HumanMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { type AgentKind, agentKinds } from '../support/agents.js';
import { DyingSaver } from '../support/dying-saver.js';
import { gate, never, until } from '../support/gate.js';
import {
  answerTo,
  asked,
  failureIn,
  lastOf,
  onThread,
  type Scene,
  scene,
} from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const args = { orderId: 'o1', amount: 5 };
/** Longer than a lease. */
const LONG_MS = 120_000;

describe.each(agentKinds)('$name', (kind) => {
  it('LG-01: a second worker does not run the tool again, it waits for the result', async () => {
    const { world, rows, process } = scene();
    const report = gate();
    const a = process(kind, [asksFor('charge', args, 'c1'), says('Charged.')], {
      afterwards: { charge: () => report.opened },
    });
    const first = a.guard.run(a.agent, asked('Charge it.'), { ...onThread, durability: 'sync' });
    await until(() => world.count('charge') === 1);

    const b = process(kind, [says('Charged.')]);
    const second = b.agent.invoke(null, onThread);
    // B is at the ledger and polls.
    await until(() => b.guard.counts().call_started === 1);
    report.open();

    expect((await first).report.status).toBe('complete');
    expect(answerTo('c1', await second).text).toBe('{"receipt":1}');
    expect(world.count('charge')).toBe(1);
    expect(b.guard.counts().attempt_started).toBe(0);
    expect(await rows()).toHaveLength(1);
  });

  it('LG-01: a second worker whose first is silent beyond its lease does not run it either', async () => {
    const { world, clock, process } = scene();
    const a = process(kind, [asksFor('charge', args, 'c1')], {
      afterwards: { charge: () => never },
    });
    void a.guard.run(a.agent, asked('Charge it.'), { ...onThread, durability: 'sync' });
    await until(() => world.count('charge') === 1);
    clock.pass(LONG_MS);

    const b = process(kind, [says('It is being checked.')]);
    const output = await b.agent.invoke(null, onThread);
    expect(failureIn(answerTo('c1', output))).toBe('outcome_unknown');
    expect(world.count('charge')).toBe(1);
  });

  it('LG-01: it asks the other side what became of it, where it can', async () => {
    const { world, clock, process } = scene();
    const order = { orderId: 'o1' };
    const a = process(kind, [asksFor('charge_traceably', order, 'c1')], {
      afterwards: { charge_traceably: () => never },
    });
    void a.guard.run(a.agent, asked('Charge it.'), { ...onThread, durability: 'sync' });
    await until(() => world.count('charge_traceably') === 1);
    clock.pass(LONG_MS);

    const b = process(kind, [says('Charged.')]);
    const output = await b.agent.invoke(null, onThread);
    expect(answerTo('c1', output).text).toContain('{"receipt":1}');
    expect(b.guard.counts()).toMatchObject({ effect_probed: 1, attempt_started: 1 });
    expect(world.count('charge_traceably')).toBe(1);
  });

  it.each([{ lost: ['putWrites'] }, { lost: ['put'] }, { lost: ['put', 'putWrites'] }] as const)(
    'LG-02: killed after the tool returned, with $lost not landed: answered once',
    async ({ lost }) => {
      const { world, saver, process } = scene();
      const dying = new DyingSaver(saver);
      const a = process(kind, [asksFor('charge', args, 'c1'), never0], {
        saver: dying,
        afterwards: { charge: () => dying.die(...lost) },
      });
      void a.guard.run(a.agent, asked('Charge it.'), { ...onThread, durability: 'sync' });
      await until(async () => (await a.guard.adapter.ledger.find(byThread)).some(isDone));

      const b = process(kind, [says('Charged.')]);
      const { output, report } = await b.guard.resume(b.agent, onThread);
      expect(world.count('charge')).toBe(1);
      expect(answerTo('c1', output).text).toBe('{"receipt":1}');
      expect(lastOf(output)).toBe('Charged.');
      expect(report.status).toBe('complete');
      expect(report.resume?.skipped).toHaveLength(1);
    },
  );

  describe.each(['sync', 'async', 'exit'] as const)('durability %s', (durability) => {
    it('LG-03: a write that is irreversible is not run again after a crash inside it', async () => {
      const { world, output, report } = await crashInside(kind, 'charge', args, durability);
      expect(world.count('charge')).toBe(1);
      // Under `exit` the thread is lost: the model asks again, in another message.
      const callId = durability === 'exit' ? 'again' : 'c1';
      expect(failureIn(answerTo(callId, output))).toBe('outcome_unknown');
      expect(report.status).toBe('partial');
      expect(report.resume?.unknown).toHaveLength(1);
    });

    it('LG-03: a keyed write is sent again with the same key', async () => {
      const slot = { orderId: 'o1', slot: 'A' };
      const { world, report } = await crashInside(kind, 'set_slot', slot, durability);
      expect(world.count('set_slot')).toBe(2);
      const [first, second] = world.deeds;
      expect(first?.key).toMatch(/^[0-9a-f]{64}$/);
      expect(second).toEqual(first);
      expect(report.status).toBe('complete');
    });

    it('LG-03: a read is simply run again', async () => {
      const { world, report } = await crashInside(kind, 'get_order', { orderId: 'o1' }, durability);
      expect(world.count('get_order')).toBe(2);
      expect(report.status).toBe('complete');
    });

    it('LG-03: a write whose tool can be asked is settled by asking', async () => {
      const { world, output, report } = await crashInside(
        kind,
        'charge_traceably',
        { orderId: 'o1' },
        durability,
      );
      expect(world.count('charge_traceably')).toBe(1);
      const callId = durability === 'exit' ? 'again' : 'c1';
      expect(answerTo(callId, output).text).toContain('{"receipt":1}');
      expect(report.status).toBe('complete');
    });
  });

  it('DU-02: a run that vanished before its first checkpoint left a trace, which its repetition meets', async () => {
    const { world, clock, ledger, rows, process } = scene();
    // An irreversible call waits for its checkpoint; one without an entry does not.
    const sync = { what: 'all' };
    const lost = new DyingSaver(new MemorySaver());
    lost.die('put', 'putWrites');
    const a = process(kind, [asksFor('legacy_sync', sync, 'c1')], {
      saver: lost,
      afterwards: { legacy_sync: () => never },
    });
    void a.agent.invoke(asked('Synchronize.'), { ...onThread, durability: 'async' });
    await until(() => world.count('legacy_sync') === 1);
    expect(await ledger.runs({ tenant: 'default', threadId: 'T1' })).toHaveLength(1);
    expect((await rows()).map(({ state }) => state)).toEqual(['attempting']);
    clock.pass(LONG_MS);

    const b = process(kind, [
      asksFor('legacy_sync', sync, 'fresh'),
      asksFor('legacy_sync', sync, 'again'),
      says('It is being checked.'),
    ]);
    expect((await b.agent.getState(onThread)).config.configurable?.checkpoint_id).toBeUndefined();
    const { output, report } = await b.guard.run(b.agent, asked('Synchronize.'), onThread);
    for (const id of ['fresh', 'again']) {
      expect(failureIn(answerTo(id, output))).toBe('outcome_unknown');
    }
    expect(report).toMatchObject({ status: 'partial', notDone: [{ tool: 'legacy_sync' }] });
    expect(world.count('legacy_sync')).toBe(1);
  });

  it('a re-sent message after a lost thread meets what was done for it', async () => {
    const { world, ledger, process } = scene();
    const lost = new DyingSaver(new MemorySaver());
    lost.die('put', 'putWrites');
    const a = process(kind, [asksFor('set_slot', { orderId: 'o1', slot: 'A' }, 'c1'), never0], {
      saver: lost,
    });
    void a.agent.invoke(asked('Move it.'), onThread);
    await until(async () => (await ledger.find(byThread)).some(isDone));

    const b = process(kind, [
      asksFor('set_slot', { orderId: 'o1', slot: 'A' }, 'fresh'),
      says('Moved.'),
    ]);
    const output = await b.agent.invoke({ messages: [new HumanMessage('Move it.')] }, onThread);
    expect(world.count('set_slot')).toBe(1);
    expect(answerTo('fresh', output).text).toContain('It was not done again.');
  });

  it('a message sent again while its turn is under way goes on with the turn, and stands there once', async () => {
    const { world, clock, process } = scene();
    const a = process(kind, [asksFor('set_slot', { orderId: 'o1', slot: 'A' }, 'c1')], {
      afterwards: { set_slot: () => never },
    });
    void a.guard.run(a.agent, asked('Move it.'), { ...onThread, durability: 'sync' });
    await until(() => world.count('set_slot') === 1);
    clock.pass(LONG_MS);

    const b = process(kind, [says('Moved.')]);
    const { output, report } = await b.guard.run(b.agent, asked('Move it.'), onThread);
    const said = output?.messages.map((message) => message.getType());
    expect(said).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(new Set(world.deeds.map(({ key }) => key)).size).toBe(1);
    expect(report.status).toBe('complete');
  });

  it('a message sent again after its thread was lost keeps its id, so that a resume knows it', async () => {
    const { world, ledger, process } = scene();
    const lost = new DyingSaver(new MemorySaver());
    lost.die('put', 'putWrites');
    const slot = { orderId: 'o1', slot: 'A' };
    const a = process(kind, [asksFor('set_slot', slot, 'c1'), never0], { saver: lost });
    void a.guard.run(a.agent, asked('Move it.'), onThread);
    await until(async () => (await ledger.find(byThread)).some(isDone));

    const b = process(kind, [asksFor('set_slot', slot, 'fresh'), says('Moved.')]);
    const { output, report } = await b.guard.run(b.agent, asked('Move it.'), onThread);
    const [run] = await ledger.runs({ tenant: 'default', threadId: 'T1' });
    expect(output?.messages[0]?.id).toBe(run?.inputId);
    expect(report.status).toBe('complete');
    expect(world.count('set_slot')).toBe(1);
  });

  it('DU-26: a worker of an old epoch may hand in its result, and begins nothing more', async () => {
    const { world, clock, rows, process } = scene();
    const old = gate();
    const a = process(
      kind,
      [
        asksFor('charge', args, 'c1'),
        asksFor('notify', { who: 'old' }, 'c2'),
        says('I was overtaken.'),
      ],
      { afterwards: { charge: () => old.opened } },
    );
    const first = a.agent.invoke(asked('Charge and move it.'), { ...onThread, durability: 'sync' });
    await until(() => world.count('charge') === 1);
    clock.pass(LONG_MS);

    const b = process(kind, [
      asksFor('set_slot', { orderId: 'o1', slot: 'A' }, 'c3'),
      says('Moved; the charge is being checked.'),
    ]);
    await b.agent.invoke(null, onThread);
    expect((await rows()).map(({ tool, state }) => [tool, state])).toEqual([
      ['charge', 'unknown'],
      ['set_slot', 'succeeded'],
    ]);

    old.open();
    const output = await first;
    // The truth about its own attempt is taken in, whatever its epoch.
    expect(answerTo('c1', output).text).toBe('{"receipt":1}');
    expect((await rows())[0]?.state).toBe('succeeded');
    expect(failureIn(answerTo('c2', output))).toBe('in_flight');
    expect(world.deeds.map(({ tool }) => tool)).toEqual(['charge', 'set_slot']);
  });
});

const byThread = { tenant: 'default', threadId: 'T1', unfinished: true } as const;
const isDone = ({ state }: { readonly state: string }): boolean => state === 'succeeded';
/** The process was killed before its model said more. */
const never0 = (): Promise<never> => never;

/** A process dies inside its tool; another resumes the run. */
async function crashInside(
  kind: AgentKind,
  tool: string,
  toolArgs: Record<string, unknown>,
  durability: 'sync' | 'async' | 'exit',
): Promise<
  { world: Scene['world'] } & Awaited<ReturnType<ReturnType<Scene['guard']>['resume']>> & {
      output?: Awaited<ReturnType<ReturnType<AgentKind['make']>['invoke']>>;
    }
> {
  const { world, clock, process } = scene();
  const a = process(kind, [asksFor(tool, toolArgs, 'c1')], {
    afterwards: { [tool]: () => never },
  });
  void a.guard.run(a.agent, asked('Do it.'), { ...onThread, durability });
  await until(() => world.count(tool) === 1);
  clock.pass(LONG_MS);

  const sayings = durability === 'exit' ? [asksFor(tool, toolArgs, 'again')] : [];
  const b = process(kind, [...sayings, says('That is all.')]);
  const resumed = await b.guard.resume(b.agent, onThread);
  return { world, ...resumed };
}
