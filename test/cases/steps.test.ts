/** Parts of a tool that are done once, however often the tool is entered. */
import { Command } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { answerTo, asked, onThread, scene } from '../support/scene.js';
import { asks, asksFor, says } from '../support/scripted-model.js';

const sayings = [asksFor('mail_with_consent', { to: 'ann' }, 'c1'), says('Sent.')];

describe.each(agentKinds)('$name', (kind) => {
  it('LG-15: a step before an interrupt is not done again on resume', async () => {
    const { world, events, process } = scene();
    const { guard, agent } = process(kind, sayings);
    const paused = await guard.run(agent, asked('Mail Ann.'), onThread);
    expect(paused.interrupts).toMatchObject([{ value: { question: 'Send draft 1?' } }]);
    expect(paused.report.done).toMatchObject([{ tool: 'mail_with_consent', step: 'draft' }]);

    const done = await guard.run(agent, new Command({ resume: 'yes' }), onThread);
    expect(done.report).toMatchObject({
      status: 'complete',
      done: [{ tool: 'mail_with_consent' }],
    });
    expect(answerTo('c1', done.output).text).toBe('sent draft 1');
    expect(world.deeds.map(({ tool }) => tool)).toEqual(['draft', 'send']);
    expect(events.of('step_finished').map(({ step, outcome }) => [step, outcome])).toEqual([
      ['draft', 'succeeded'],
      ['draft', 'folded'],
      ['send', 'succeeded'],
    ]);
  });

  it('LG-15: nor in another process, nor when a sibling pauses too', async () => {
    const { world, process } = scene();
    const a = process(kind, [
      asks(
        'm1',
        { name: 'mail_with_consent', args: { to: 'ann' }, id: 'c1' },
        { name: 'notify', args: { who: 'bob' }, id: 'c2' },
      ),
    ]);
    await a.agent.invoke(asked('Mail Ann.'), onThread);
    const b = process(kind, [says('Sent.')]);
    const done = await b.agent.invoke(new Command({ resume: 'yes' }), onThread);
    expect(answerTo('c1', done).text).toMatch(/^sent draft [12]$/);
    expect(['draft', 'send', 'notify'].map((tool) => world.count(tool))).toEqual([1, 1, 1]);
  });
});
