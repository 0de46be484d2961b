import { currentCall, isGuardError } from '@holdfast/call-guard';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool } from '@holdfast/tool-registry';
import { ToolMessage } from '@langchain/core/messages';
import { RunnableLambda, RunnableToolLike } from '@langchain/core/runnables';
import { DynamicTool, StructuredTool, tool } from '@langchain/core/tools';
import { Command } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { desk, gate, toolCall } from './adapter.fixture.js';
import { createLangGraphGuard } from './guard.js';

const onThread = { configurable: { thread_id: 'T1', intent_id: 'i1' } };

describe('a guarded tool', () => {
  it('is of the same kind, name and schema, and guarded once', () => {
    const { guard, sendMail } = desk();
    const [guarded] = guard.tools([sendMail]);
    expect(guarded).not.toBe(sendMail);
    expect(guarded).toBeInstanceOf(StructuredTool);
    expect(guarded.name).toBe('send_mail');
    expect(guarded.description).toBe('Send a mail.');
    expect(guarded.schema).toBe(sendMail.schema);
    const [again] = guard.tools([guarded]);
    expect(again).toBe(guarded);
  });

  it('has no door beside the gate', async () => {
    const { guard, sendMail, done, ledger } = desk();
    const [mail] = guard.tools([sendMail]);
    await mail.func({ to: 'a' }, undefined, { configurable: { thread_id: 'T1', intent_id: 'i1' } });
    const rows = await ledger.find({ tenant: 'default', intentId: 'i1' });
    expect(rows.map(({ state }) => state)).toEqual(['succeeded']);
    expect(done).toEqual(['a']);
  });

  it('answers a tool call with a message', async () => {
    const { guard, sendMail, done } = desk();
    const [mail] = guard.tools([sendMail]);
    const answer: unknown = await mail.invoke(toolCall('send_mail', { to: 'a' }), onThread);
    expect(answer).toMatchObject({ content: 'sent to a', tool_call_id: 'c1', status: 'success' });
    expect(done).toEqual(['a']);
  });

  it('answers a tool call with a message for a failure, too', async () => {
    const { guard, sendMail, done } = desk();
    const [mail] = guard.tools([sendMail]);
    const answer: unknown = await mail.invoke(toolCall('send_mail', { to: 7 }), onThread);
    expect(answer).toMatchObject({
      status: 'error',
      tool_call_id: 'c1',
      artifact: { kind: 'invalid_arguments' },
    });
    expect(done).toEqual([]);
  });

  it('called with plain arguments gives the content, and throws its failure', async () => {
    const { guard, sendMail } = desk();
    const [mail] = guard.tools([sendMail]);
    expect(await mail.invoke({ to: 'a' }, onThread)).toBe('sent to a');
    const failing = mail.invoke({ too: 'b' } as never, onThread);
    await expect(failing).rejects.toSatisfy((error) => isGuardError(error, 'invalid_arguments'));
  });

  it('gives the other form where an equal call was made in the first', async () => {
    const { guard, sendMail, done } = desk();
    const [mail] = guard.tools([sendMail]);
    await mail.invoke({ to: 'a' }, onThread);
    const answer: unknown = await mail.invoke(toolCall('send_mail', { to: 'a' }), onThread);
    expect(answer).toMatchObject({
      tool_call_id: 'c1',
      content: 'sent to a\n[This was already done by an equal call. It was not done again.]',
    });
    expect(done).toEqual(['a']);
  });

  it('is guarded by its old entrance as well', async () => {
    const { guard, sendMail, done } = desk();
    const [mail] = guard.tools([sendMail]);
    await mail.call({ to: 'a' }, onThread);
    await mail.call({ to: 'a' }, onThread);
    expect(done).toEqual(['a']);
  });

  it.each([
    [
      'of MCP',
      { isError: true, content: [{ type: 'text', text: 'no mailbox' }] },
      'business_error',
    ],
    [
      'as a message',
      new ToolMessage({ content: 'no mailbox', tool_call_id: 'c1', status: 'error' }),
      'dependency_failed',
    ],
  ])('that returns an error %s instead of throwing it has failed', async (_, result, kind) => {
    const { guard, ledger } = desk();
    const mail = tool(async () => result, {
      name: 'send_mail',
      description: 'Send a mail.',
      schema: z.object({ to: z.string() }),
    });
    const [guarded] = guard.tools([mail]);
    const answer: unknown = await guarded.invoke(toolCall('send_mail', { to: 'a' }), onThread);
    expect(answer).toMatchObject({
      status: 'error',
      artifact: { kind: kind, effect: 'unknown' },
      content: expect.stringContaining('no mailbox'),
    });
    const rows = await ledger.find({ tenant: 'default', intentId: 'i1' });
    expect(rows.map(({ state }) => state)).toEqual(['unknown']);
  });

  it('without an entry works as before, and is written down', async () => {
    const { guard, ledger } = desk();
    const legacy = tool(async ({ x }) => `did ${x}`, {
      name: 'legacy',
      description: 'Old.',
      schema: z.object({ x: z.string() }),
    });
    const [guarded] = guard.tools([legacy]);
    expect(await guarded.invoke({ x: 'it' }, onThread)).toBe('did it');
    const rows = await ledger.find({ tenant: 'default', intentId: 'i1' });
    expect(rows).toMatchObject([{ tool: 'legacy', class: 'undeclared', state: 'succeeded' }]);
  });

  it('that takes a text keeps its input', async () => {
    const { guard } = desk();
    const echo = new DynamicTool({
      name: 'echo',
      description: 'Echo.',
      func: async (text) => `you said ${text}`,
    });
    const [guarded] = guard.tools([echo]);
    expect(await guarded.invoke('hello', onThread)).toBe('you said hello');
    const answer: unknown = await guarded.invoke(toolCall('echo', { input: 'hello' }), onThread);
    expect(answer).toMatchObject({ content: 'you said hello', tool_call_id: 'c1' });
  });

  it('may be a runnable that looks like a tool', async () => {
    const { guard } = desk();
    const runnable = new RunnableToolLike({
      name: 'shout',
      schema: z.object({ text: z.string() }),
      bound: RunnableLambda.from(async ({ text }: { text: string }) => text.toUpperCase()),
    });
    const [guarded] = guard.tools([runnable]);
    expect(guarded).toBeInstanceOf(RunnableToolLike);
    expect(await guarded.invoke({ text: 'hi' }, onThread)).toBe('HI');
  });

  it('keeps content and artifact, also when it is answered from the ledger', async () => {
    const { guard } = desk();
    const found = { id: 'a', found: true };
    let looked = 0;
    const lookUp = tool(
      async () => {
        looked += 1;
        return ['it is there', found];
      },
      {
        name: 'send_mail',
        description: 'Look, and send.',
        schema: z.object({ to: z.string() }),
        responseFormat: 'content_and_artifact',
      },
    );
    const [guarded] = guard.tools([lookUp]);
    for (const id of ['c1', 'c2']) {
      const answer: unknown = await guarded.invoke(
        toolCall('send_mail', { to: 'a' }, id),
        onThread,
      );
      expect(answer).toMatchObject({
        content: expect.stringMatching(/^it is there/),
        artifact: found,
        tool_call_id: id,
      });
    }
    expect(looked).toBe(1);
  });

  it('may return a command, which is answered again as it was', async () => {
    const { guard } = desk();
    let ran = 0;
    const handOver = tool(
      async ({ to }) => {
        ran += 1;
        return new Command({ goto: 'other', update: { to } });
      },
      { name: 'send_mail', description: 'Hand over.', schema: z.object({ to: z.string() }) },
    );
    const [guarded] = guard.tools([handOver]);
    const call = toolCall('send_mail', { to: 'a' });
    const [first, second] = [
      await guarded.invoke(call, onThread),
      await guarded.invoke(call, onThread),
    ];
    expect(second).toMatchObject({ goto: ['other'], update: { to: 'a' } });
    expect(first).toMatchObject({ goto: ['other'] });
    expect(ran).toBe(1);
  });

  it('hides the argument that carries the key, and fills it in', async () => {
    const { guard } = desk();
    const seen: unknown[] = [];
    const tag = tool(
      async (args) => {
        seen.push(args, currentCall()?.idempotencyKey);
        return 'tagged';
      },
      {
        name: 'tag',
        description: 'Tag.',
        schema: z.object({ id: z.string(), requestId: z.string() }),
      },
    );
    const [guarded] = guard.tools([tag]);
    const schema = guarded.schema;
    if (!(schema instanceof z.ZodType)) throw new Error('no zod schema');
    expect(Object.keys(z.toJSONSchema(schema).properties ?? {})).toEqual(['id']);
    await guarded.invoke(toolCall('tag', { id: 'x' }), onThread);
    const [args, key] = seen;
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(args).toEqual({ id: 'x', requestId: key });
  });

  it('whose own schema refuses what its entry allows has invalid arguments', async () => {
    const { guard } = desk();
    const picky = tool(async () => 'never', {
      name: 'send_mail',
      description: 'Send.',
      schema: z.object({ to: z.email() }),
    });
    const [guarded] = guard.tools([picky]);
    const answer: unknown = await guarded.invoke(toolCall('send_mail', { to: 'nobody' }), onThread);
    expect(answer).toMatchObject({
      status: 'error',
      artifact: { kind: 'invalid_arguments', effect: 'none' },
    });
    expect(String(ToolMessage.isInstance(answer) && answer.text)).not.toContain('node_modules');
  });

  it('gets the attempt`s signal, which its caller`s does not abort', async () => {
    const { guard } = desk();
    const caller = new AbortController();
    const [started, end] = [gate(), gate()];
    let aborted: boolean | undefined;
    const slow = tool(
      async (_, config) => {
        started.open();
        await end.opened;
        aborted = config.signal?.aborted;
        return 'sent';
      },
      { name: 'send_mail', description: 'Send.', schema: z.object({ to: z.string() }) },
    );
    const [guarded] = guard.tools([slow]);
    const pending = guarded.invoke(toolCall('send_mail', { to: 'a' }), {
      ...onThread,
      signal: caller.signal,
    });
    await started.opened;
    caller.abort();
    expect(await pending).toMatchObject({ artifact: { kind: 'cancelled', effect: 'unknown' } });
    end.open();
    await expect.poll(() => aborted).toBe(false);
  });
});

describe('a tool made from its entry', () => {
  it('has name, summary and schema of the entry', async () => {
    const { guard } = desk();
    const mail = guard.implement('send_mail', async ({ to }, call) => {
      return `sent to ${to} with ${call.idempotencyKey?.length} letters`;
    });
    expect([mail.name, mail.description]).toEqual(['send_mail', 'Send a mail.']);
    const answer: unknown = await mail.invoke(toolCall('send_mail', { to: 'a' }), onThread);
    expect(answer).toMatchObject({ content: 'sent to a with 64 letters', tool_call_id: 'c1' });
  });

  it('does not take a carried key from the model', async () => {
    const { guard } = desk();
    const tag = guard.implement('tag', async ({ requestId }) => requestId);
    const answer: unknown = await tag.invoke(
      toolCall('tag', { id: 'x', requestId: 'mine' }),
      onThread,
    );
    expect(answer).toMatchObject({ status: 'error', artifact: { kind: 'invalid_arguments' } });
  });

  it('that does not exist is refused', () => {
    const { guard } = desk();
    expect(() => guard.implement('nothing' as 'tag', async () => 1)).toThrow(/look_up, send_mail/);
  });

  it('is refused when its schema would strip the argument that carries the key', () => {
    const tagOrder = defineTool({
      name: 'tag_order',
      summary: 'Tag an order.',
      input: z.object({ id: z.string(), requestId: z.string() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { argument: 'requestId' },
        serverKeepsKeyFor: '1d',
      },
      resourceGroup: 'orders',
      owner: 'test',
    });
    const registry = defineRegistry({
      name: 'tags',
      tools: [tagOrder],
      resourceGroups: { orders: {} },
    });
    const guard = createLangGraphGuard({ registry, ledger: memoryLedger() });
    const made = tool(async () => 'ok', {
      name: 'tag_order',
      description: '',
      schema: z.object({ id: z.string() }),
    });
    expect(() => guard.tools([made])).toThrow(/tools\.tag_order\.schema.*requestId/s);
  });
});
