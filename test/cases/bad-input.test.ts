/** What cannot be: entries, options and arguments. Every problem at once, typed, and nothing is done. */
import { memoryLedger } from '@holdfast/effect-ledger';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { defineRegistry, isSetupError, type SetupProblem } from '@holdfast/tool-registry';
import { describe, expect, it } from 'vitest';
import { agentKinds, graphWithToolNode } from '../support/agents.js';
import { caseRegistry } from '../support/case-registry.js';
import { answerTo, asked, failureIn, onThread, scene } from '../support/scene.js';
import { asks, asksFor, says } from '../support/scripted-model.js';

describe.each(agentKinds)('$name', (kind) => {
  it('impossible arguments are answered with every problem, without stack or path', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('pay', { payee: 7, amount: 'much', invoice: null, extra: true }, 'c1'),
      says('I need the amount.'),
    ]);
    const { output, report } = await guard.run(agent, asked('Pay it.'), onThread);
    const answer = answerTo('c1', output);
    expect(failureIn(answer)).toBe('invalid_arguments');
    expect(answer.status).toBe('error');
    for (const name of ['payee', 'amount', 'invoice']) expect(answer.text).toContain(`- ${name}:`);
    expect(answer.text).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/work\//);
    expect(answer.text.length).toBeLessThan(600);
    expect(answer.artifact).toMatchObject({
      effect: 'none',
      attempts: 0,
      next: { by: 'model', advice: 'fix_arguments' },
    });
    expect(world.deeds).toEqual([]);
    expect(report.status).toBe('failed');
  });

  it('an argument that a write does not know is refused, not dropped', async () => {
    const { world, process } = scene();
    const { agent } = process(kind, [
      asksFor('send_mail', { to: 'a@x', subject: 'Hello', boddy: 'text' }, 'c1'),
      says('I see.'),
    ]);
    const output = await agent.invoke(asked('Mail A.'), onThread);
    expect(failureIn(answerTo('c1', output))).toBe('invalid_arguments');
    expect(answerTo('c1', output).text).toContain('boddy');
    expect(world.deeds).toEqual([]);
  });

  it('corrected arguments make the run complete', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(kind, [
      asksFor('charge', { orderId: 'o1' }, 'c1'),
      asksFor('charge', { orderId: 'o1', amount: 5 }, 'c2'),
      says('Charged.'),
    ]);
    const { report } = await guard.run(agent, asked('Charge it.'), onThread);
    expect(report.status).toBe('complete');
    expect(world.count('charge')).toBe(1);
  });

  it('two calls under one call id, with other arguments, are two calls', async () => {
    const { world, process } = scene();
    const { agent } = process(kind, [
      asks(
        'm1',
        { name: 'notify', args: { who: 'ann' }, id: 'call_0' },
        { name: 'notify', args: { who: 'bob' }, id: 'call_0' },
      ),
      says('Both.'),
    ]);
    await agent.invoke(asked('Tell them.'), onThread);
    expect(world.deeds.map(({ args }) => args.who).sort()).toEqual(['ann', 'bob']);
  });

  it('LG-50: a call id used again in a later message is another call', async () => {
    const { world, process } = scene();
    const { agent } = process(kind, [
      asks('m1', { name: 'notify', args: { who: 'ann' }, id: 'call_0' }),
      says('Done.'),
      asks('m2', { name: 'notify', args: { who: 'bob' }, id: 'call_0' }),
      says('Done.'),
    ]);
    await agent.invoke(asked('Tell Ann.'), onThread);
    await agent.invoke(asked('Tell Bob.'), onThread);
    const told = world.deeds.map(({ args }) => args.who);
    // LangGraph's own tool node skips a call whose id was answered before; the guard is not even asked.
    expect(told).toEqual(kind === graphWithToolNode ? ['ann'] : ['ann', 'bob']);
  });
});

describe('what is wrong before any call', () => {
  const problemsOf = (make: () => unknown): { code: string; problems: readonly SetupProblem[] } => {
    try {
      make();
    } catch (error) {
      if (isSetupError(error)) return { code: error.code, problems: error.problems };
      throw error;
    }
    throw new Error('nothing was wrong');
  };

  it('a registry with broken entries names all of them', () => {
    const { code, problems } = problemsOf(() =>
      defineRegistry({
        name: 'broken',
        tools: [...caseRegistry.tools.values()],
        resourceGroups: { elsewhere: {} },
      }),
    );
    expect(code).toBe('registry_invalid');
    expect(problems.length).toBeGreaterThan(1);
    for (const { field, reason, fix } of problems) {
      expect([field, reason, fix].every((text) => text.length > 0)).toBe(true);
    }
  });

  it('limits out of range are refused with the legal range, all at once', () => {
    const { code, problems } = problemsOf(() =>
      createLangGraphGuard({
        registry: caseRegistry,
        ledger: memoryLedger(),
        settings: { attempts: 0, leaseMs: 1, barrierMs: -1 },
      }),
    );
    expect(code).toBe('option_out_of_range');
    expect(problems.map(({ field }) => field)).toEqual([
      'settings.attempts',
      'settings.leaseMs',
      'settings.barrierMs',
    ]);
    expect(problems[0]?.fix).toContain('1 to 10');
  });

  it('a tool whose probe nothing executes is refused when it is guarded', () => {
    const guard = createLangGraphGuard({ registry: caseRegistry, ledger: memoryLedger() });
    const { code, problems } = problemsOf(() =>
      guard.tools([guard.implement('charge_traceably', async () => ({ receipt: 1 }))]),
    );
    expect(code).toBe('executor_missing');
    expect(problems[0]?.reason).toContain('find_charge');
  });

  it('a tool that the registry does not have cannot be implemented', () => {
    const guard = createLangGraphGuard({ registry: caseRegistry, ledger: memoryLedger() });
    const name: string = 'charge_everybody';
    const { code, problems } = problemsOf(() =>
      guard.implement(name as 'charge', async () => undefined),
    );
    expect(code).toBe('registry_invalid');
    expect(problems[0]?.fix).toContain('charge');
  });
});
