import { jsonBytes } from '@holdfast/call-guard';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toolCall } from './adapter.fixture.js';
import { createLangGraphGuard } from './guard.js';
import { redactOutput } from './tool-result.js';
import { trimOutput } from './trimmed-output.js';

const onThread = { configurable: { thread_id: 'T1', intent_id: 'i1' } };
const rules = { maxBytes: 4_096, kept: {} };
const long = 'line\n'.repeat(20_000);
const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${id}` }));

const common = { input: z.object({ id: z.string() }), resourceGroup: 'desk', owner: 'desk@team' };
const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({
      ...common,
      name: 'list',
      summary: 'List rows.',
      idempotency: read(),
      result: { maxBytes: 4_096 },
    }),
    defineTool({
      ...common,
      name: 'export_all',
      summary: 'Export all rows.',
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
      result: { maxBytes: 4_096 },
    }),
    defineTool({
      ...common,
      name: 'make_key',
      summary: 'Make a key, which is shown once.',
      idempotency: { class: 'irreversible' },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
      result: { redact: ['key'] },
    }),
  ],
});

function setting(name: 'list' | 'export_all' | 'make_key', result: unknown) {
  const guard = createLangGraphGuard({ registry, ledger: memoryLedger() });
  const [guarded] = guard.tools([
    tool(async () => result as string, { name, description: name, schema: common.input }),
  ]);
  const call = async (id: string): Promise<ToolMessage> => {
    const answer: unknown = await guarded.invoke(toolCall(name, { id: 'x' }, id), onThread);
    return answer instanceof ToolMessage ? answer : expect.unreachable();
  };
  return { call, guarded };
}

describe('MCP-58: a result that is too long for the model', () => {
  it('is cut in the content, and whole in the artifact', async () => {
    const { content, artifact, status } = await setting('list', JSON.stringify(rows)).call('c1');
    expect(status).toBe('success');
    const shown: unknown[] = JSON.parse(String(content));
    expect(shown.slice(0, 9)).toEqual(rows.slice(0, 9));
    expect(shown.at(-1)).toContain('of 2000 items');
    expect(artifact).toBe(JSON.stringify(rows));
    expect(jsonBytes(String(content))).toBeLessThanOrEqual(4_096);
  });

  it('of a write is given to an equal call as the model first saw it', async () => {
    const { call } = setting('export_all', long);
    const first = await call('c1');
    const again = await call('c2');
    expect(first.artifact).toBe(long);
    expect(String(again.content)).toContain(String(first.content));
    expect(String(again.content)).toContain('This was already done');
  });

  it('is whole for a program, which calls with plain arguments', async () => {
    const { guarded } = setting('list', long);
    expect(await guarded.invoke({ id: 'x' }, onThread)).toBe(long);
  });
});

describe('the messages of an output', () => {
  const message = (content: ToolMessage['content'], artifact?: unknown) =>
    new ToolMessage({ content, tool_call_id: 'c1', artifact });
  const contentOf = (output: unknown) => {
    const trimmed = trimOutput({ output }, rules);
    const { given } = trimmed ?? expect.unreachable();
    const inner = given as { output: ToolMessage };
    return inner.output;
  };

  it('are left alone where they are short, or where there are none', () => {
    expect(trimOutput({ output: message('short') }, rules)).toBeUndefined();
    expect(trimOutput({ output: { text: long } }, rules)).toBeUndefined();
  });

  it('keep an artifact of the tool', () => {
    expect(contentOf(message(long, { mine: 1 })).artifact).toEqual({ mine: 1 });
  });

  it('are cut in a command, too', () => {
    const command = new Command({ update: { messages: [message(long)], seen: 1 } });
    const trimmed = trimOutput({ output: command }, rules);
    expect(trimmed?.wholeBytes).toBe(jsonBytes(long));
    expect(trimmed?.givenBytes).toBeLessThanOrEqual(4_096);
  });

  it('keep small blocks and share the rest out; what is no text goes as a whole', () => {
    const { content } = contentOf(
      message([
        { type: 'text', text: 'short' },
        { type: 'text', text: long },
        { type: 'image', data: 'A'.repeat(9_000), mimeType: 'image/png' },
      ]),
    );
    expect(content).toMatchObject([
      { type: 'text', text: 'short' },
      { type: 'text', text: expect.stringContaining('holdfast left out') },
      {
        type: 'text',
        text: expect.stringMatching(/left out a block of 90\d\d bytes, of type image/),
      },
    ]);
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThanOrEqual(4_200);
  });

  it('say how many of very many blocks there are', () => {
    const blocks = Array.from({ length: 500 }, () => ({ type: 'text', text: 'x'.repeat(300) }));
    const { content } = contentOf(message(blocks));
    expect(content.at(-1)).toMatchObject({ text: expect.stringMatching(/48\d of 500 items/) });
  });
});

describe('a field that must not be kept', () => {
  it('is given once, and to an equal call no more, in content and artifact', async () => {
    const { call } = setting('make_key', { id: 1, key: 'k-123' });
    expect(JSON.parse(String((await call('c1')).content))).toEqual({ id: 1, key: 'k-123' });
    const again = await call('c2');
    expect(String(again.content)).toContain('{"id":1,"key":"[redacted]"}');
    const message = new ToolMessage({
      content: [
        { type: 'text', text: '{"key":"k-123"}' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      tool_call_id: 'c1',
      artifact: { key: 'k-123', id: 1 },
    });
    const text = JSON.stringify(
      redactOutput({ output: message, own: { value: 'k-123' } }, { key: {} }),
    );
    expect(text).not.toContain('k-123');
    expect(text).toContain('AAAA');
    const command = new Command({ update: { messages: [message] } });
    expect(JSON.stringify(redactOutput({ output: command }, { key: {} }))).not.toContain('k-123');
    expect(redactOutput({ output: 'the key is k-123' }, { key: {} })).toEqual({
      output: '[redacted]',
    });
    expect(redactOutput({ key: 'k-123' }, { key: {} })).toEqual({ key: '[redacted]' });
  });
});
