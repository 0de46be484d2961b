/** Questions to a person: shown with their call ids, answered by call id, whatever comes in which order. */
import { isSetupError } from '@holdfast/tool-registry';
import { tool } from '@langchain/core/tools';
import {
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { toolsCondition } from '@langchain/langgraph/prebuilt';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentKinds, guardedGraph } from '../support/agents.js';
import { caseTools } from '../support/case-tools.js';
import { gate, until } from '../support/gate.js';
import { answerTo, asked, failureIn, lastOf, onThread, scene } from '../support/scene.js';
import { asks, asksFor, ScriptedModel, says } from '../support/scripted-model.js';

/** LangGraph's and LangChain's own tool nodes, and a flow that waits for all, show one pause at a time. */
const kindsThatShowAll = agentKinds.filter(
  ({ name }) => !['createAgent v1', 'StateGraph with ToolNode', 'entrypoint'].includes(name),
);

/** A tool that a flow calls cannot see which message asked for it, nor what stands beside it there. */
const kindsWithMessages = agentKinds.filter(({ name }) => name !== 'entrypoint');

const wipe = (disk: string, id: string) => ({ name: 'wipe', args: { disk }, id });
const approve = (what: string, id: string) => ({ name: 'approve', args: { what }, id });

interface Shown {
  readonly id?: string;
  readonly value?: unknown;
  readonly callId?: string;
  readonly tool?: string;
}

/** The ids of the calls that are asked about. */
function askedAbout(interrupts: readonly Shown[]): string[] {
  return interrupts.flatMap(({ callId, value }) => {
    const questions =
      typeof value === 'object' && value !== null ? Reflect.get(value, 'questions') : undefined;
    return Array.isArray(questions)
      ? questions.map((one: { callId: string }) => one.callId)
      : [String(callId)];
  });
}

/** Answers everything that is asked until nothing is, and says how often that took. */
async function answerAll(
  process: ReturnType<ReturnType<typeof scene>['process']>,
  first: readonly Shown[],
  answer: (callId: string) => unknown,
) {
  let interrupts = first;
  for (let rounds = 0; ; rounds += 1) {
    if (rounds > 5) throw new Error('it is asked for ever');
    const resume = Object.fromEntries(askedAbout(interrupts).map((id) => [id, answer(id)]));
    const result = await process.guard.run(process.agent, new Command({ resume }), onThread);
    if (result.interrupts.length === 0) return { ...result, rounds: rounds + 1 };
    interrupts = result.interrupts;
  }
}

describe.each(agentKinds)('$name: consent', (kind) => {
  it('a call that must be confirmed asks, and runs once it was approved', async () => {
    const { world, rows, events, process } = scene();
    const a = process(kind, [asksFor('wipe', { disk: 'A' }, 'c1'), says('Wiped.')]);
    const paused = await a.guard.run(a.agent, asked('Wipe A.'), onThread);
    expect(paused.report.status).toBe('interrupted');
    expect(paused.interrupts).toMatchObject([
      {
        callId: 'c1',
        tool: 'wipe',
        value: {
          type: 'holdfast',
          questions: [
            {
              callId: 'c1',
              kind: 'confirmation_required',
              tool: 'wipe',
              args: { disk: 'A' },
              why: 'irreversible',
              choices: ['approve', 'reject'],
            },
          ],
        },
      },
    ]);
    expect(await rows()).toEqual([]);

    const resume = { c1: { decision: 'approve' } };
    const done = await a.guard.run(a.agent, new Command({ resume }), onThread);
    expect(done.report.status).toBe('complete');
    expect(answerTo('c1', done.output).text).toBe('{"receipt":1}');
    expect(world.count('wipe')).toBe(1);
    expect(events.of('question_asked')).toHaveLength(1);
    expect(events.of('question_answered')).toMatchObject([{ decision: 'approve', callId: 'c1' }]);
  });

  it('a guard that only watches does not continue it: a call that is asked about would run', async () => {
    for (const mode of ['shadow', 'off'] as const) {
      const { world, guard, process } = scene();
      const a = process(kind, [asksFor('wipe', { disk: 'A' }, 'c1')]);
      await a.guard.run(a.agent, asked('Wipe A.'), onThread);
      const b = process(kind, [says('Not wiped.')], { guard: guard({ mode }) });
      for (const input of [new Command({ resume: { c1: { decision: 'reject' } } }), null]) {
        const refused: unknown = await b.guard
          .run(b.agent, input, onThread)
          .catch((error: unknown) => error);
        expect(isSetupError(refused, 'answer_invalid')).toBe(true);
      }
      const c = process(kind, [says('Not wiped.')]);
      const resume = { c1: { decision: 'reject' } };
      const done = await c.guard.run(c.agent, new Command({ resume }), onThread);
      expect(failureIn(answerTo('c1', done.output))).toBe('rejected_by_user');
      expect(world.count('wipe')).toBe(0);
    }
  });

  it.each(['shadow', 'off'] as const)(
    'a guard that is %s lets no call run that is asked about, though LangGraph alone continues it',
    async (mode) => {
      const { world, guard, process } = scene();
      const a = process(kind, [asksFor('wipe', { disk: 'A' }, 'c1')]);
      await a.agent.invoke(asked('Wipe A.'), onThread);
      for (const input of [null, new Command({ resume: { c1: { decision: 'approve' } } })]) {
        const b = process(kind, [says('Wiped.')], { guard: guard({ mode }) });
        await b.agent.invoke(input, onThread);
        expect(world.count('wipe')).toBe(0);
      }
      const c = process(kind, [says('Not wiped.')]);
      const { tasks } = await c.agent.getState(onThread);
      expect(JSON.stringify(tasks.flatMap(({ interrupts }) => interrupts))).toContain(
        `it is ${mode}, and the guard waits for a person's answer about c1`,
      );
      const resume = { c1: { decision: 'reject' } };
      const done = await c.guard.run(c.agent, new Command({ resume }), onThread);
      expect(failureIn(answerTo('c1', done.output))).toBe('rejected_by_user');
      expect(world.count('wipe')).toBe(0);
    },
  );

  it('in another process, resumed by LangGraph alone', async () => {
    const { world, process } = scene();
    const a = process(kind, [asksFor('wipe', { disk: 'A' }, 'c1')]);
    await a.agent.invoke(asked('Wipe A.'), onThread);
    const b = process(kind, [says('Wiped.')]);
    const resume = { c1: { decision: 'approve' } };
    const output = await b.agent.invoke(new Command({ resume }), onThread);
    expect(lastOf(output)).toBe('Wiped.');
    expect(world.count('wipe')).toBe(1);
  });

  it('a rejected call is answered with the refusal, and never runs', async () => {
    const { world, process } = scene();
    const a = process(kind, [
      asksFor('wipe', { disk: 'A' }, 'c1'),
      asksFor('wipe', { disk: 'A' }, 'c2'),
      says('Not wiped.'),
    ]);
    await a.guard.run(a.agent, asked('Wipe A.'), onThread);
    const resume = { c1: { decision: 'reject', note: 'that is the wrong one' } };
    const done = await a.guard.run(a.agent, new Command({ resume }), onThread);
    const answer = answerTo('c1', done.output);
    expect(failureIn(answer)).toBe('rejected_by_user');
    expect(answer.text).toContain('that is the wrong one');
    // Asked for again by the model.
    expect(failureIn(answerTo('c2', done.output))).toBe('rejected_by_user');
    expect(world.deeds).toEqual([]);
  });

  it('LG-20: changed arguments run and are told, and the original call is stopped', async () => {
    const { world, process } = scene();
    const a = process(kind, [
      asksFor('wipe', { disk: 'A' }, 'c1'),
      asksFor('wipe', { disk: 'A' }, 'c2'),
      says('Wiped B.'),
    ]);
    await a.guard.run(a.agent, asked('Wipe A.'), onThread);
    const resume = { c1: { decision: 'approve', input: { disk: 'B' } } };
    const done = await a.guard.run(a.agent, new Command({ resume }), onThread);
    expect(answerTo('c1', done.output).text).toContain('disk: "B" instead of "A"');
    expect(failureIn(answerTo('c2', done.output))).toBe('rejected_by_user');
    expect(world.deeds.map(({ args }) => args)).toEqual([{ disk: 'B' }]);
  });

  it.each([
    { resume: { c9: { decision: 'approve' } }, field: 'resume.c9' },
    { resume: { c1: { decision: 'yes' } }, field: 'resume.c1.decision' },
    { resume: { c1: { decision: 'approve', input: {} } }, field: 'resume.c1.input.disk' },
    { resume: 'yes', field: 'resume' },
  ])('guard.run refuses $resume before the graph is entered', async ({ resume, field }) => {
    const { world, process } = scene();
    const a = process(kind, [asksFor('wipe', { disk: 'A' }, 'c1'), says('Wiped.')]);
    await a.guard.run(a.agent, asked('Wipe A.'), onThread);
    const refused: unknown = await a.guard
      .run(a.agent, new Command({ resume }), onThread)
      .catch((error: unknown) => error);
    expect(isSetupError(refused, 'answer_invalid') && refused.field).toBe(field);
    expect(world.deeds).toEqual([]);
    // It can still be answered.
    const good = new Command({ resume: { c1: { decision: 'approve' } } });
    expect((await a.guard.run(a.agent, good, onThread)).report.status).toBe('complete');
    expect(world.count('wipe')).toBe(1);
  });

  it.each(['yes', { c9: { decision: 'approve' } }, { c1: { decision: 'yes' } }])(
    'LangGraph alone, given %o, asks again and says what was wrong',
    async (resume) => {
      const { world, process } = scene();
      const a = process(kind, [asksFor('wipe', { disk: 'A' }, 'c1'), says('Wiped.')]);
      await a.agent.invoke(asked('Wipe A.'), onThread);
      await a.agent.invoke(new Command({ resume }), onThread);
      const waiting = await a.guard.resume(a.agent, onThread);
      expect(JSON.stringify(waiting.interrupts)).toContain('Fix: ');
      expect(world.deeds).toEqual([]);
      await a.agent.invoke(new Command({ resume: { c1: { decision: 'approve' } } }), onThread);
      expect(world.count('wipe')).toBe(1);
    },
  );

  it('an answer that is a second old when the process dies is not asked for again', async () => {
    const { world, ledger, process } = scene();
    const a = process(kind, [asksFor('wipe', { disk: 'A' }, 'c1')]);
    await a.agent.invoke(asked('Wipe A.'), onThread);
    // It dies between the decision and the effect.
    const { claim } = ledger;
    Object.assign(ledger, { claim: () => new Promise(() => {}) });
    const dying = process(kind, []);
    void dying.agent.invoke(new Command({ resume: { c1: { decision: 'approve' } } }), onThread);
    const decisions = () => ledger.decisions({ tenant: 'default', threadId: 'T1' });
    await until(async () => (await decisions()).length === 1);
    Object.assign(ledger, { claim });

    const b = process(kind, [says('Wiped.')]);
    const output = await b.agent.invoke(null, onThread);
    expect(lastOf(output)).toBe('Wiped.');
    expect(world.count('wipe')).toBe(1);
  });

  it('a tool that asks for itself after it was approved is given its own answer', async () => {
    const { world, process } = scene();
    const a = process(kind, [
      asks('m1', wipe('A', 'c1'), approve('the rest', 'c2')),
      says('All done.'),
    ]);
    const first = await a.guard.run(a.agent, asked('Wipe A and the rest.'), onThread);
    const done = await answerAll(a, first.interrupts, (id) =>
      id === 'c1' ? { decision: 'approve' } : 'yes, the rest',
    );
    expect(answerTo('c2', done.output).text).toBe('approved: yes, the rest');
    expect(world.count('wipe')).toBe(1);
    expect(world.count('approve')).toBe(1);
  });

  it("where the guard asks by message, guard.approve lets the model's next call run", async () => {
    const { world, guard, process } = scene();
    const own = guard({ ask: 'message' });
    const a = process(
      kind,
      [
        asksFor('wipe', { disk: 'A' }, 'c1'),
        says('May I?'),
        asksFor('wipe', { disk: 'A' }, 'c2'),
        says('Wiped.'),
      ],
      { guard: own },
    );
    const first = await own.run(a.agent, asked('Wipe A.'), onThread);
    expect(first.interrupts).toEqual([]);
    expect(failureIn(answerTo('c1', first.output))).toBe('confirmation_required');
    expect(first.report).toMatchObject({ status: 'failed', notDone: [{ tool: 'wipe' }] });
    // In another process, which finds the call in the conversation.
    const other = guard({ ask: 'message' });
    process(kind, [], { guard: other });
    await other.approve({ threadId: 'T1', callId: 'c1', decision: 'approve', by: 'ann' });
    const second = await own.run(a.agent, asked('Yes, do it.'), onThread);
    expect(answerTo('c2', second.output).text).toBe('{"receipt":1}');
    expect(world.count('wipe')).toBe(1);
  });

  it('without a checkpointer nobody can be waited for: the failure asks', async () => {
    const { world, guard } = scene();
    const own = guard();
    const model = new ScriptedModel([asksFor('wipe', { disk: 'A' }, 'c1'), says('May I?')]);
    const agent = kind.make({ guard: own, model, tools: caseTools(world) });
    const output = await agent.invoke(asked('Wipe A.'));
    expect(failureIn(answerTo('c1', output))).toBe('confirmation_required');
    expect(world.deeds).toEqual([]);
  });
});

describe.each(kindsWithMessages)('$name: equal calls', (kind) => {
  const pizza = (id: string) => ({ name: 'order_pizza', args: { kind: 'funghi' }, id });

  it('a person says whether the second of two equal calls is meant', async () => {
    const { world, process } = scene();
    const a = process(kind, [asks('m1', pizza('c1'), pizza('c2'), pizza('c3')), says('Ordered.')]);
    const paused = await a.guard.run(a.agent, asked('Two pizzas.'), onThread);
    expect(paused.report.status).toBe('interrupted');
    const done = await answerAll(a, paused.interrupts, (id) => ({
      decision: id === 'c2' ? 'again' : 'reuse',
    }));
    expect(world.count('order_pizza')).toBe(2);
    expect(answerTo('c3', done.output).text).toContain('It was not done again.');
    expect(answerTo('c2', done.output).text).toBe('{"receipt":2}');
  });

  it('where the guard asks by message two equal calls are one', async () => {
    const { world, guard, process } = scene();
    const own = guard({ ask: 'message' });
    const a = process(kind, [asks('m1', pizza('c1'), pizza('c2')), says('Ordered.')], {
      guard: own,
    });
    await own.run(a.agent, asked('Two pizzas.'), onThread);
    expect(world.count('order_pizza')).toBe(1);
  });
});

describe('one task for several calls, by guard.toolNode', () => {
  it('the guard asks about all of them at once, before any of them runs', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(guardedGraph, [
      asks(
        'm1',
        { name: 'notify', args: { who: 'ann' }, id: 'c0' },
        wipe('A', 'c1'),
        wipe('B', 'c2'),
      ),
      says('Done.'),
    ]);
    const paused = await guard.run(agent, asked('Wipe A and B.'), onThread);
    expect(paused.interrupts).toHaveLength(1);
    expect(askedAbout(paused.interrupts)).toEqual(['c1', 'c2']);
    expect(world.deeds).toEqual([]);

    const half: unknown = await guard
      .run(agent, new Command({ resume: { c1: { decision: 'approve' } } }), onThread)
      .catch((error: unknown) => error);
    expect(isSetupError(half, 'answer_invalid') && half.field).toBe('resume.c2');
    expect(world.deeds).toEqual([]);

    const resume = { c1: { decision: 'reject' }, c2: { decision: 'approve' } };
    const done = await guard.run(agent, new Command({ resume }), onThread);
    expect(failureIn(answerTo('c1', done.output))).toBe('rejected_by_user');
    expect(world.deeds.map(({ tool, args }) => [tool, args.disk ?? args.who])).toEqual([
      ['notify', 'ann'],
      ['wipe', 'B'],
    ]);
  });

  it('it asks about equal calls once', async () => {
    const { world, process } = scene();
    const { guard, agent } = process(guardedGraph, [
      asks('m1', wipe('A', 'c1'), wipe('A', 'c2')),
      says('Done.'),
    ]);
    const paused = await guard.run(agent, asked('Wipe A.'), onThread);
    expect(askedAbout(paused.interrupts)).toEqual(['c1']);
    const resume = { c1: { decision: 'approve' } };
    const done = await guard.run(agent, new Command({ resume }), onThread);
    expect(answerTo('c2', done.output).text).toContain('It was not done again.');
    expect(world.count('wipe')).toBe(1);
  });
});

describe.each(agentKinds)('$name: pauses of tools', (kind) => {
  it('LG-17: two tools that ask at once are each given their own answer, in whatever order they ask', async () => {
    const { world, process } = scene();
    const first = { a: gate(), b: gate() };
    const a = process(
      kind,
      [asks('m1', approve('a', 'c1'), approve('b', 'c2')), says('Both done.')],
      {
        pausesAfter: {
          // First a asks, then b; once they were answered, b comes first.
          a: async () => void (await first.a.opened),
          b: async () => void (await first.b.opened),
        },
      },
    );
    first.a.open();
    const run = a.guard.run(a.agent, asked('Do a and b.'), onThread);
    await until(() => a.guard.counts().attempt_started === 2);
    first.b.open();
    const paused = await run;
    expect(paused.report.status).toBe('interrupted');

    const again = { a: gate(), b: gate() };
    Object.assign(first, again);
    again.b.open();
    void until(() => world.count('approve') > 0 || a.guard.counts().attempt_finished > 2).then(
      () => again.a.open(),
      () => again.a.open(),
    );
    const done = await answerAll(a, paused.interrupts, (id) => `the answer to ${id}`);
    expect(answerTo('c1', done.output).text).toBe('approved: the answer to c1');
    expect(answerTo('c2', done.output).text).toBe('approved: the answer to c2');
    expect(world.deeds.map(({ args }) => [args.what, args.answer]).sort()).toEqual([
      ['a', 'the answer to c1'],
      ['b', 'the answer to c2'],
    ]);
    expect(done.report.status).toBe('complete');
  });

  it('LG-17: every pause names its call and tool beside what LangGraph says of it', async () => {
    const { process } = scene();
    const a = process(kind, [asksFor('approve', { what: 'a' }, 'c1'), says('Done.')]);
    const { interrupts } = await a.guard.run(a.agent, asked('Do a.'), onThread);
    expect(interrupts).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        value: { question: 'May I a?' },
        callId: 'c1',
        tool: 'approve',
      },
    ]);
  });
});

describe.each(kindsThatShowAll)('$name: pauses of tools', (kind) => {
  it('a call that a person makes equal to its sibling is asked about no more, and the original never runs', async () => {
    const { world, process } = scene();
    const a = process(kind, [asks('m1', wipe('A', 'c1'), wipe('B', 'c2')), says('Wiped.')]);
    const paused = await a.guard.run(a.agent, asked('Wipe A and B.'), onThread);
    const done = await answerAll(a, paused.interrupts, (callId) =>
      callId === 'c1' ? { decision: 'approve', input: { disk: 'B' } } : { decision: 'approve' },
    );
    expect(world.deeds.map(({ args }) => args)).toEqual([{ disk: 'B' }]);
    expect(done.rounds).toBe(1);
    expect(done.report.status).toBe('complete');
    expect(answerTo('c1', done.output).text).toContain('disk: "B" instead of "A"');
  });

  it('LG-17: an answer to nobody is refused, and the pause is still there', async () => {
    const { world, process } = scene();
    const a = process(kind, [
      asks('m1', approve('a', 'c1'), approve('b', 'c2')),
      says('Both done.'),
    ]);
    const paused = await a.guard.run(a.agent, asked('Do a and b.'), onThread);
    expect(askedAbout(paused.interrupts)).toEqual(['c1', 'c2']);
    for (const resume of ['yes', { c1: 'yes', c9: 'no' }, {}]) {
      const refused: unknown = await a.guard
        .run(a.agent, new Command({ resume }), onThread)
        .catch((error: unknown) => error);
      expect(isSetupError(refused, 'answer_invalid')).toBe(true);
    }
    expect(world.deeds).toEqual([]);
    const resume = { c1: 'one', c2: 'two' };
    const done = await a.guard.run(a.agent, new Command({ resume }), onThread);
    expect(answerTo('c1', done.output).text).toBe('approved: one');
    expect(answerTo('c2', done.output).text).toBe('approved: two');
  });
});

describe('pauses of tools in one task, by guard.toolNode', () => {
  it('LG-17: all of them are shown, each with its call id, and LangGraph alone takes the answers', async () => {
    const { world, process } = scene();
    const a = process(guardedGraph, [
      asks(
        'm1',
        approve('a', 'c1'),
        { name: 'notify', args: { who: 'ann' }, id: 'c2' },
        approve('b', 'c3'),
      ),
      says('All done.'),
    ]);
    const paused = await a.agent.invoke(asked('Do a and b.'), onThread);
    const [shown, ...others] = Reflect.get(paused, '__interrupt__') as Shown[];
    expect(others).toEqual([]);
    expect(shown?.value).toEqual({
      type: 'holdfast',
      questions: [
        {
          callId: 'c1',
          kind: 'interrupt',
          tool: 'approve',
          args: { what: 'a' },
          value: { question: 'May I a?' },
        },
        {
          callId: 'c3',
          kind: 'interrupt',
          tool: 'approve',
          args: { what: 'b' },
          value: { question: 'May I b?' },
        },
      ],
    });
    const b = process(guardedGraph, [says('All done.')]);
    // Not without naming them.
    await b.agent.invoke(new Command({ resume: 'yes' }), onThread);
    expect(world.count('approve')).toBe(0);
    const resume = { c1: 'one', c3: 'three' };
    const output = await b.agent.invoke(new Command({ resume }), onThread);
    expect(answerTo('c1', output).text).toBe('approved: one');
    expect(answerTo('c3', output).text).toBe('approved: three');
    expect(world.count('notify')).toBe(1);
    expect(lastOf(output)).toBe('All done.');
  });

  it('a tool that asks twice, beside one that asks once', async () => {
    const { process } = scene();
    const { guard, model } = process(guardedGraph, [
      asks(
        'm1',
        { name: 'ask_twice', args: {}, id: 'c1' },
        { name: 'ask_once', args: {}, id: 'c2' },
      ),
      says('All done.'),
    ]);
    const asking = (name: string, times: number) =>
      tool(
        () =>
          Array.from({ length: times }, (_, index) => String(interrupt(`${name} ${index}`))).join(
            ', ',
          ),
        { name, description: 'Ask.', schema: z.object({}) },
      );
    const agent = guardedGraph.make({
      guard,
      model,
      tools: [asking('ask_twice', 2), asking('ask_once', 1)],
      saver: new MemorySaver(),
    });
    const run = (resume: unknown) => guard.run(agent, new Command({ resume }), onThread);
    const first = await guard.run(agent, asked('Ask.'), onThread);
    expect(askedAbout(first.interrupts)).toEqual(['c1', 'c2']);
    const second = await run({ c1: 'a', c2: 'b' });
    // One tool alone: as LangGraph shows it, and answered as one would there.
    expect(second.interrupts).toMatchObject([{ value: 'ask_twice 1', callId: 'c1' }]);
    // Entered without an answer, LangGraph hands out that of before once more: it is not for this pause.
    await agent.invoke(null, onThread);
    expect((await guard.resume(agent, onThread)).interrupts).toEqual(second.interrupts);
    const done = await run('c');
    expect(answerTo('c1', done.output).text).toBe('a, c');
    expect(answerTo('c2', done.output).text).toBe('b');
  });

  it('a consent, a pause and a plain call in one message', async () => {
    const { world, process } = scene();
    const a = process(guardedGraph, [
      asks('m1', approve('a', 'c1'), wipe('A', 'c2'), approve('b', 'c3')),
      says('All done.'),
    ]);
    const first = await a.guard.run(a.agent, asked('Do it all.'), onThread);
    expect(askedAbout(first.interrupts)).toEqual(['c2']);
    const yes = new Command({ resume: { c2: { decision: 'approve' } } });
    const second = await a.guard.run(a.agent, yes, onThread);
    expect(askedAbout(second.interrupts)).toEqual(['c1', 'c3']);
    expect(world.deeds.map(({ tool: name }) => name)).toEqual(['wipe']);
    const answers = new Command({ resume: { c1: 'one', c3: 'three' } });
    const done = await a.guard.run(a.agent, answers, onThread);
    expect(done.report.status).toBe('complete');
    expect(world.count('approve')).toBe(2);
    expect(world.count('wipe')).toBe(1);
  });

  it('agents inside of tools that wait keep their own pauses, and their own answers', async () => {
    const { guard: make, world } = scene();
    const guard = make();
    const saver = new MemorySaver();
    const inner = (name: string) =>
      new StateGraph(MessagesAnnotation)
        .addNode('agent', async ({ messages }) => ({
          messages: [
            messages.length > 1
              ? says(messages.at(-1)?.text ?? '')
              : asksFor('approve', { what: name }, `inner of ${name}`),
          ],
        }))
        .addNode('tools', guard.toolNode(caseTools(world)))
        .addEdge(START, 'agent')
        .addConditionalEdges('agent', toolsCondition, ['tools', END])
        .addEdge('tools', 'agent')
        .compile();
    const graphs = { a: inner('a'), b: inner('b') };
    const helper = tool(
      async ({ what }) => {
        const output = await graphs[what].invoke(asked('Help.'));
        return lastOf(output);
      },
      { name: 'helper', description: 'Help.', schema: z.object({ what: z.enum(['a', 'b']) }) },
    );
    const model = new ScriptedModel([
      asks(
        'm1',
        { name: 'helper', args: { what: 'a' }, id: 'c1' },
        { name: 'helper', args: { what: 'b' }, id: 'c2' },
        approve('c', 'c3'),
      ),
      says('All done.'),
    ]);
    const agent = guardedGraph.make({ guard, model, tools: [helper, ...caseTools(world)], saver });
    const paused = await guard.run(agent, asked('Get help.'), onThread);
    expect(paused.interrupts.map(({ callId, within }) => [callId, within])).toEqual([
      ['c3', undefined],
      ['inner of a', ['c1']],
      ['inner of b', ['c2']],
    ]);
    expect(new Set(paused.interrupts.map(({ id }) => id)).size).toBe(3);
    const resume = { 'inner of b': 'for b', c3: 'for c', 'inner of a': 'for a' };
    const done = await guard.run(agent, new Command({ resume }), onThread);
    expect(answerTo('c1', done.output).text).toBe('approved: for a');
    expect(answerTo('c2', done.output).text).toBe('approved: for b');
    expect(answerTo('c3', done.output).text).toBe('approved: for c');
  });
});
