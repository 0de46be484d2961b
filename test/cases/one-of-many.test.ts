/** Many at once: two requests on a thread, two recoverers, fifty equal calls. One acts. */
import type { StructuredToolInterface } from '@langchain/core/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentKinds } from '../support/agents.js';
import { caseTools } from '../support/case-tools.js';
import { inTurns } from '../support/failing-ledger.js';
import { gate, until } from '../support/gate.js';
import { answerTo, asked, onThread, scene } from '../support/scene.js';
import { asksFor, says } from '../support/scripted-model.js';

const invoice = { payee: 'p1', amount: 5, invoice: 'i1' };

describe.each(agentKinds)('$name', (kind) => {
  // A flow of tasks cannot be stopped before its tools.
  const stops = it.skipIf(kind.modelNode === undefined);

  stops.each(['one process', 'two processes'])(
    'LG-10: a thread driven twice at once, by %s, pays once',
    async (processes) => {
      const { world, process } = scene();
      const paid = gate();
      const more = { afterwards: { pay: () => paid.opened } };
      const a = process(kind, [asksFor('pay', invoice, 'c1'), says('Paid.')], more);
      const other = processes === 'one process' ? { ...more, guard: a.guard } : more;
      const b = process(kind, [says('Paid.')], other);
      await a.agent.invoke(asked('Pay it.'), { ...onThread, interruptBefore: ['tools'] });

      const both = Promise.all([a.agent.invoke(null, onThread), b.agent.invoke(null, onThread)]);
      const begun = (): number =>
        a.guard.counts().call_started + (a.guard === b.guard ? 0 : b.guard.counts().call_started);
      await until(() => begun() === 2 && world.count('pay') === 1);
      paid.open();

      const texts = (await both).map((output) => answerTo('c1', output).text);
      expect(texts).toEqual(['{"receipt":1}', '{"receipt":1}']);
      expect(world.count('pay')).toBe(1);
    },
  );

  stops('DU-19: two recoverers agree on the result, whoever writes when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (schedule) => {
        const { world, rows, process } = scene({
          wrap: (ledger) => inTurns(ledger, (work) => schedule.scheduleFunction(work)),
        });
        const a = process(kind, [asksFor('pay', invoice, 'c1'), says('Paid.')]);
        const b = process(kind, [says('Paid.')]);
        await a.agent.invoke(asked('Pay it.'), { ...onThread, interruptBefore: ['tools'] });

        const both = Promise.all([a.agent.invoke(null, onThread), b.agent.invoke(null, onThread)]);
        const texts = (await schedule.waitFor(both)).map((output) => answerTo('c1', output).text);
        expect(texts).toEqual(['{"receipt":1}', '{"receipt":1}']);
        expect(world.count('pay')).toBe(1);
        expect((await rows()).map(({ state }) => state)).toEqual(['succeeded']);
      }),
      { numRuns: 15, seed: 19 },
    );
  });
});

describe('DU-21: fifty equal calls at once', () => {
  it.each(['one guard', 'a guard each'])(
    'of %s: one executes, the others get its result',
    async (guards) => {
      const { world, guard: make } = scene();
      const done = gate();
      const guard = make();
      const calls = Array.from({ length: 50 }, async (_, n) => {
        const own = guards === 'one guard' ? guard : make();
        const tools: readonly StructuredToolInterface[] = own.tools(
          caseTools(world, { pay: () => done.opened }),
        );
        const pay = tools.find(({ name }) => name === 'pay');
        const call = { type: 'tool_call' as const, name: 'pay', args: invoice, id: `c${n}` };
        return own.inRun({ intentId: 'i1' }, async () => pay?.invoke(call));
      });
      await until(() => world.count('pay') === 1);
      done.open();
      const texts = (await Promise.all(calls)).map(
        (message) => String(message.text).split('\n')[0],
      );
      expect(texts).toEqual(Array.from({ length: 50 }, () => '{"receipt":1}'));
      expect(world.count('pay')).toBe(1);
    },
  );
});
