import type { Question } from '@holdfast/call-guard';
import { isSetupError } from '@holdfast/tool-registry';
import { Command, isCommand } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { desk } from './adapter.fixture.js';
import type { GuardPause, PendingInterrupt, ToolQuestion } from './pauses.js';
import { addressed } from './resume-answers.js';

const { registry } = desk().guard;

const consent = (callId: string): Question => ({
  callId,
  kind: 'confirmation_required',
  tool: 'send_mail',
  args: { to: 'a' },
  why: 'irreversible',
  choices: ['approve', 'reject'],
});
const ofTool = (callId: string): ToolQuestion => ({
  callId,
  kind: 'interrupt',
  tool: 'look_up',
  args: {},
  value: 'which?',
});
const guardPause = (id: string, ...questions: GuardPause['questions']): PendingInterrupt => ({
  id,
  value: { type: 'holdfast', questions },
});
const toolPause = (id: string, callId: string): PendingInterrupt => ({
  id,
  value: 'which?',
  callId,
  tool: 'look_up',
});

/** What LangGraph is told in the end. */
async function told(resume: unknown, ...pending: PendingInterrupt[]): Promise<unknown> {
  const command = await addressed(new Command({ resume }), pending, registry);
  return isCommand(command) ? (command as Command).resume : command;
}

describe('answers by call id', () => {
  it('go to the pauses that LangGraph knows by ids of its own', async () => {
    const pending = [toolPause('i1', 'c1'), toolPause('i2', 'c2')];
    expect(await told({ c2: 'two', c1: 'one' }, ...pending)).toEqual({ i1: 'one', i2: 'two' });
    // One of them alone: the other one goes on waiting.
    expect(await told({ c2: 'two' }, ...pending)).toEqual({ i2: 'two' });
    expect(await told({ i1: 'one', c2: 'two' }, ...pending)).toEqual({ i1: 'one', i2: 'two' });
  });

  it('are gathered where one pause shows several questions', async () => {
    const pause = guardPause('i1', consent('c1'), ofTool('c2'));
    const yes = { decision: 'approve' };
    expect(await told({ c1: yes, c2: 'two' }, pause)).toEqual({ i1: { c1: yes, c2: 'two' } });
    expect(await told({ c1: yes, c2: 'two', c3: 'x' }, pause, toolPause('i2', 'c3'))).toEqual({
      i1: { c1: yes, c2: 'two' },
      i2: 'x',
    });
    expect(await told({ i1: { c1: yes, c2: 'two' } }, pause)).toEqual({
      i1: { c1: yes, c2: 'two' },
    });
  });

  it('of the only pause of a tool go through as they are, named or not', async () => {
    const only = toolPause('i1', 'c1');
    expect(await told('yes', only)).toBe('yes');
    expect(await told({ sure: true }, only)).toEqual({ sure: true });
    expect(await told({ c1: 'yes' }, only)).toEqual({ i1: 'yes' });
  });

  it('leave the rest of the command as it is', async () => {
    const command = new Command({ resume: { c1: 'yes' }, update: { n: 1 }, goto: 'next' });
    const made = await addressed(command, [toolPause('i1', 'c1')], registry);
    expect(made).toMatchObject({ resume: { i1: 'yes' }, update: { n: 1 }, goto: ['next'] });
    expect(isCommand(made)).toBe(true);
  });

  it.each([{ input: null }, { input: { messages: [] } }, { input: new Command({ goto: 'next' }) }])(
    '$input is left alone',
    async ({ input }) => {
      expect(await addressed(input, [toolPause('i1', 'c1')], registry)).toBe(input);
    },
  );

  it('pauses without ids, and threads without pauses, are left to LangGraph', async () => {
    const { id: _, ...unnamed } = toolPause('i1', 'c1');
    expect(await told({ c9: 'yes' }, unnamed)).toEqual({ c9: 'yes' });
    expect(await told({ c9: 'yes' })).toEqual({ c9: 'yes' });
  });

  it.each([
    { resume: 'yes', field: 'resume', reason: 'it names no call' },
    { resume: {}, field: 'resume', reason: 'it names no call' },
    { resume: { c9: 'yes' }, field: 'resume.c9', reason: 'no question is open' },
    { resume: { c3: 'yes' }, field: 'resume.c3', reason: '2 questions are open' },
    { resume: { c1: { decision: 'approve' } }, field: 'resume.c2', reason: 'it is not answered' },
    { resume: { c1: 'approve', c2: 'x' }, field: 'resume.c1', reason: "'approve' is no answer" },
    { resume: { c2: 'x' }, field: 'resume.c1', reason: 'it is not answered' },
    { resume: { i1: 'yes' }, field: 'resume', reason: "'yes' names no call" },
    { resume: { i1: { c9: 1 } }, field: 'resume.c9', reason: 'no question is open' },
  ])('$resume is refused, naming $field', async ({ resume, field, reason }) => {
    const pending = [
      guardPause('i1', consent('c1'), ofTool('c2')),
      toolPause('i2', 'c3'),
      toolPause('i3', 'c3'),
    ];
    const error: unknown = await told(resume, ...pending).catch((thrown: unknown) => thrown);
    if (!isSetupError(error, 'answer_invalid')) throw new Error(`not refused: ${String(error)}`);
    expect(error.problems.map((problem) => problem.field)).toContain(field);
    expect(error.message).toContain(reason);
    expect(error.problems.every(({ fix }) => fix !== '')).toBe(true);
  });
});
