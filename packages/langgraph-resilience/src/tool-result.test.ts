import type { CallAnswer, Failure } from '@holdfast/call-guard';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { Command, isCommand, Send } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { failureMessage, langGraphCodec, presentAnswer, typedResult } from './tool-result.js';

const call = { id: 'c1', name: 'send_mail' };
const message = new ToolMessage({
  content: 'sent',
  tool_call_id: 'c1',
  name: 'send_mail',
  id: 't1',
  status: 'success',
  artifact: { receipt: 1 },
  metadata: { own: true },
});

async function stored(output: unknown): Promise<unknown> {
  const { type, bytes } = await langGraphCodec.encode({ output });
  const decoded = (await langGraphCodec.decode({ type, bytes })) as { output: unknown };
  return decoded.output;
}

function answered(
  output: unknown,
  more: Partial<Extract<CallAnswer<unknown>, { ok: true }>> = {},
): Extract<CallAnswer<unknown>, { ok: true }> {
  return {
    ok: true,
    result: { output },
    folded: false,
    attempts: 1,
    repairs: [],
    warnings: [],
    ...more,
  };
}

describe('what is stored of a result comes back', () => {
  it('a message with artifact, status, id and metadata', async () => {
    const back = await stored(message);
    if (!ToolMessage.isInstance(back)) throw new Error('no tool message');
    const { content, tool_call_id, name, id, status, artifact, metadata } = back;
    expect({ content, tool_call_id, name, id, status, artifact }).toEqual({
      content: 'sent',
      tool_call_id: 'c1',
      name: 'send_mail',
      id: 't1',
      status: 'success',
      artifact: { receipt: 1 },
    });
    expect(metadata).toMatchObject({ own: true });
  });

  it('a message of content blocks', async () => {
    const content = [{ type: 'text', text: 'sent' }];
    const back = await stored(new ToolMessage({ content, tool_call_id: 'c1' }));
    expect(back).toMatchObject({ content });
  });

  it('a command with graph, goto, sends, update and resume', async () => {
    const back = await stored(
      new Command({
        graph: Command.PARENT,
        goto: ['here', new Send('there', { messages: [new AIMessage('hello')] }, { timeout: 500 })],
        update: { messages: [message], count: 2 },
        resume: 'yes',
      }),
    );
    if (!isCommand(back)) throw new Error('no command');
    const { graph, goto, update, resume } = back as Command;
    expect(graph).toBe(Command.PARENT);
    expect(resume).toBe('yes');
    const [here, there] = [goto].flat();
    expect(here).toBe('here');
    if (!(there instanceof Send)) throw new Error('no send');
    expect(there.node).toBe('there');
    expect(there.timeout).toEqual(new Send('there', {}, { timeout: 500 }).timeout);
    expect(there.args.messages[0].text).toBe('hello');
    const changed = update as { messages: unknown[]; count: number };
    expect(changed.count).toBe(2);
    expect(ToolMessage.isInstance(changed.messages[0])).toBe(true);
  });

  it.each([['text'], [42], [{ deep: [1, null] }], [null]])('plain content: %j', async (content) => {
    expect(await stored(content)).toEqual(content);
  });
});

describe('a typed result', () => {
  it.each<[string, unknown, boolean, unknown]>([
    ['the function`s own value', { output: message, own: { value: { id: 1 } } }, false, { id: 1 }],
    [
      'JSON that the function printed',
      { output: message, own: { value: '{"id":1}' } },
      false,
      { id: 1 },
    ],
    ['text that only looks like JSON', { output: message, own: { value: '{id' } }, false, '{id'],
    [
      'the artifact of a pair',
      { output: message, own: { value: ['text', { id: 1 }] } },
      true,
      { id: 1 },
    ],
    ['the artifact of a message', { output: message }, false, { receipt: 1 }],
    [
      'the artifact of a message that is the value',
      { output: message, own: { value: message } },
      false,
      { receipt: 1 },
    ],
    [
      'the content of a message, read as JSON',
      { output: new ToolMessage({ content: '[1]', tool_call_id: 'c1' }) },
      false,
      [1],
    ],
    ['nothing of a command', { output: new Command({ goto: 'x' }) }, false, undefined],
    ['what is no tool output, as it is', 'plain', false, 'plain'],
  ])('is %s', (_, given, hasArtifact, expected) => {
    expect(typedResult(given, hasArtifact)).toEqual(expected);
  });
});

describe('an answer that leaves', () => {
  it('is the tool`s own message where there is nothing to say', () => {
    expect(presentAnswer(answered(message), call)).toBe(message);
    expect(presentAnswer(answered(message, { folded: 'replayed' }), call)).toBe(message);
  });

  it.each([
    ['folded', 'sent\n[This was already done by an equal call. It was not done again.]'],
    ['ahead', 'sent\n[This was already done before the interruption. It was not done again.]'],
  ] as const)('says that it was %s, and keeps the rest', (folded, text) => {
    const left = presentAnswer(answered(message, { folded }), call);
    expect(left).toMatchObject({
      content: text,
      id: 't1',
      status: 'success',
      artifact: { receipt: 1 },
      metadata: { own: true, holdfast: { folded } },
    });
  });

  it('tells warnings, and repairs in the metadata only', () => {
    const warned = presentAnswer(answered(message, { warnings: ['careful'] }), call);
    expect(warned).toMatchObject({ content: 'sent\n[careful]' });
    const repaired = presentAnswer(answered(message, { repairs: ['null to absent'] }), call);
    expect(repaired).toMatchObject({
      content: 'sent',
      metadata: { holdfast: { repairs: ['null to absent'] } },
    });
  });

  it('says it in a block of its own where the content is blocks', () => {
    const content = [{ type: 'text', text: 'sent' }];
    const blocks = new ToolMessage({ content, tool_call_id: 'c1' });
    const left = presentAnswer(answered(blocks, { folded: 'folded' }), call);
    expect(left).toMatchObject({
      content: [...content, { type: 'text', text: expect.stringContaining('not done again') }],
    });
  });

  it('stands under the id of the call that it answers', () => {
    const other = { id: 'c2', name: 'send_mail' };
    const left = presentAnswer(
      answered(message, { folded: 'folded', originalCallId: 'c1' }),
      other,
    );
    expect(left).toMatchObject({ tool_call_id: 'c2', artifact: { receipt: 1 } });
    expect(message.tool_call_id).toBe('c1');
  });

  it('does so where a later pass over the effect answered, under an id of its own', () => {
    const other = { id: 'c3', name: 'send_mail' };
    const later = new ToolMessage({ content: 'sent', tool_call_id: 'c2', name: 'send_mail' });
    const folded = { folded: 'folded', originalCallId: 'c1' } as const;
    expect(presentAnswer(answered(later, folded), other)).toMatchObject({ tool_call_id: 'c3' });
  });

  it('does so inside a command that a later pass gave', async () => {
    const later = new ToolMessage({ content: 'sent', tool_call_id: 'c2' });
    const foreign = new ToolMessage({ content: 'other', tool_call_id: 'c1' });
    const command = new Command({ update: { messages: [later, foreign] } });
    const kept = await langGraphCodec.encode({ output: command, callId: 'c2' });
    const result = await langGraphCodec.decode(kept);
    const folded = { ...answered(command, { folded: 'folded', originalCallId: 'c1' }), result };
    expect(presentAnswer(folded, { id: 'c3', name: 'send_mail' })).toMatchObject({
      update: { messages: [{ tool_call_id: 'c3' }, { tool_call_id: 'c1', content: 'other' }] },
    });
  });

  it('does so inside a command, for the message of this call alone', () => {
    const foreign = new ToolMessage({ content: 'other', tool_call_id: 'c9' });
    const command = new Command({
      graph: Command.PARENT,
      goto: 'other',
      update: { messages: [message, foreign], count: 2 },
    });
    const left = presentAnswer(answered(command, { folded: 'folded', originalCallId: 'c1' }), {
      id: 'c2',
      name: 'send_mail',
    });
    expect(left).toMatchObject({
      graph: Command.PARENT,
      goto: ['other'],
      update: {
        count: 2,
        messages: [
          { tool_call_id: 'c2', content: expect.stringContaining('not done again') },
          { tool_call_id: 'c9', content: 'other' },
        ],
      },
    });
  });

  it('is a message for a tool call and content for plain arguments, whatever the stored form', () => {
    expect(presentAnswer(answered('sent'), call)).toMatchObject({
      content: 'sent',
      tool_call_id: 'c1',
      name: 'send_mail',
    });
    expect(presentAnswer(answered(message), undefined)).toBe('sent');
    expect(presentAnswer(answered({ receipt: 1 }), undefined)).toEqual({ receipt: 1 });
  });
});

describe('a failure as a message', () => {
  const failure: Failure<'dependency_failed'> = {
    kind: 'dependency_failed',
    effect: 'unknown',
    next: { by: 'nobody', advice: 'do_not_retry' },
    details: { status: 503 },
    tool: 'send_mail',
    callId: 'c1',
    runId: 'r1',
    intentId: 'i1',
    attempts: 1,
    forModel: 'status: dependency_failed',
    forUser: 'It is not certain.',
  };

  it('has the text for the model as content and the object as artifact', () => {
    expect(failureMessage(failure, 'c1')).toMatchObject({
      content: 'status: dependency_failed',
      name: 'send_mail',
      tool_call_id: 'c1',
      status: 'error',
      artifact: failure,
    });
  });

  it('keeps of its cause what can be stored', () => {
    const left = failureMessage({ ...failure, cause: new TypeError('no') }, 'c1');
    expect(left.artifact).toEqual({ ...failure, cause: { name: 'TypeError', message: 'no' } });
    expect(failureMessage({ ...failure, cause: 7 }, 'c1').artifact).toMatchObject({ cause: '7' });
  });

  it.each([
    [Object.create(null)],
    [
      new Proxy(new Error('x'), {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('is there although its cause cannot be read', (cause) => {
    expect(failureMessage({ ...failure, cause }, 'c1')).toMatchObject({
      content: 'status: dependency_failed',
      artifact: { cause: 'something that cannot be read' },
    });
  });

  it('keeps no secrets of its cause, nor more of it than anybody reads', () => {
    const secret = new Error('GET https://u:pw@api.test/x?api_key=s3cret failed');
    expect(failureMessage({ ...failure, cause: secret }, 'c1').artifact).toMatchObject({
      cause: { message: 'GET https://api.test/x?api_key=… failed' },
    });
    const long = failureMessage({ ...failure, cause: new Error('x'.repeat(1_000_000)) }, 'c1');
    expect(JSON.stringify(long.artifact).length).toBeLessThan(11_000);
  });

  it('is no error where the effect is done', () => {
    expect(failureMessage({ ...failure, effect: 'done' }, 'c1').status).toBe('success');
  });
});
