/** Each mechanism seen to work through an agent: something turns red when it is switched off. */
import { type RemovableMechanism, without } from '@holdfast/call-guard/testing';
import type { LangGraphGuard } from '@holdfast/langgraph-resilience';
import type { RunnableConfig } from '@langchain/core/runnables';
import { MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { type Gate, gate, until } from '../support/gate.js';
import { answerTo, asked, failureIn, onThread, scene } from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const args = { orderId: 'o1', amount: 5 };
const mail = { to: 'a@x', subject: 'Hello' };

/** A saver as far away as a test wants it: its writes of checkpoints wait. */
class FarSaver extends MemorySaver {
  constructor(private readonly near: Gate<void>) {
    super();
  }
  override async put(...given: Parameters<MemorySaver['put']>): Promise<RunnableConfig> {
    await this.near.opened;
    return super.put(...given);
  }
}

function lessOf(guard: LangGraphGuard, ...removed: RemovableMechanism[]): LangGraphGuard {
  return removed.length === 0 ? guard : without(guard, ...removed);
}

describe.each(agentKinds)('$name', (kind) => {
  it.each([
    { removed: [], mails: 1 },
    { removed: ['write-ahead'], mails: 2 },
  ] as const)(
    'the ledger answers an equal call: without $removed, $mails mails',
    async ({ removed, mails }) => {
      const { world, guard, process } = scene();
      const { agent } = process(
        kind,
        [asksFor('send_mail', mail, 'c1'), asksFor('send_mail', mail, 'c2'), says('Sent.')],
        { guard: lessOf(guard(), ...removed) },
      );
      await agent.invoke(asked('Mail A.'), onThread);
      expect(world.count('send_mail')).toBe(mails);
    },
  );

  it.each([
    { removed: [], charges: 1 },
    { removed: ['class-rules'], charges: 3 },
  ] as const)(
    'the class decides about retries: without $removed, $charges charges',
    async ({ removed, charges }) => {
      const { world, guard, process } = scene();
      const { agent } = process(kind, [asksFor('charge', args, 'c1'), says('Unknown.')], {
        guard: lessOf(guard(), ...removed),
        afterwards: {
          charge: () => {
            throw new Error('it broke');
          },
        },
      });
      await agent.invoke(asked('Charge it.'), onThread);
      expect(world.count('charge')).toBe(charges);
    },
  );

  it.each([
    { removed: [], status: 'complete' },
    { removed: ['probe'], status: 'partial' },
  ] as const)(
    'the other side is asked: without $removed, the run is $status',
    async ({ removed, status }) => {
      const { world, guard, process } = scene();
      const own = lessOf(guard(), ...removed);
      const { agent } = process(
        kind,
        [asksFor('charge_traceably', { orderId: 'o1' }, 'c1'), says('Charged.')],
        {
          guard: own,
          afterwards: {
            charge_traceably: () => {
              throw new Error('it broke');
            },
          },
        },
      );
      const { report } = await own.run(agent, asked('Charge it.'), onThread);
      expect(report.status).toBe(status);
      expect(world.count('charge_traceably')).toBe(1);
    },
  );

  it('an irreversible call waits until its checkpoint is durable, other calls do not', async () => {
    const { world, guard: make, process } = scene();
    const near = gate();
    const guard = make();
    const { agent } = process(
      kind,
      [
        asksFor('set_slot', { orderId: 'o1', slot: 'A' }, 'c1'),
        asksFor('charge', args, 'c2'),
        says('Charged.'),
      ],
      { guard, saver: new FarSaver(near) },
    );
    const run = agent.invoke(asked('Move and charge it.'), { ...onThread, durability: 'async' });
    await until(() => guard.counts().call_started === 2);
    expect(world.deeds.map(({ tool }) => tool)).toEqual(['set_slot']);
    near.open();
    await run;
    expect(world.deeds.map(({ tool }) => tool)).toEqual(['set_slot', 'charge']);
  });

  it.each([
    { removed: [], charges: 0 },
    { removed: ['barrier'], charges: 1 },
  ] as const)(
    'it is not done where that takes too long: without $removed, $charges charges',
    async ({ removed, charges }) => {
      const { world, clock, guard, process } = scene();
      const near = gate();
      const own = lessOf(guard(), ...removed);
      const { agent } = process(kind, [asksFor('charge', args, 'c1'), says('Not now.')], {
        guard: own,
        saver: new FarSaver(near),
      });
      const run = agent.invoke(asked('Charge it.'), { ...onThread, durability: 'async' });
      await until(() => {
        clock.pass(3_000);
        return own.counts().call_finished === 1;
      });
      near.open();
      const answer = answerTo('c1', await run);
      expect(world.count('charge')).toBe(charges);
      expect(failureIn(answer)).toBe(charges === 0 ? 'not_durable' : undefined);
    },
  );
});
