import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuard, type Mode, memorySink } from '@holdfast/call-guard';
import { manualClock } from '@holdfast/call-guard/testing';
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isRecord } from '../message/message.js';
import { callResult, redacted, textOf as textOfResult } from '../proxy/call-result.js';
import { playedSession } from '../proxy/played-session.fixture.js';
import { ResultReader } from './result-reader.js';
import { SpillFolder } from './spill-folder.js';

const common = { input: z.looseObject({}), resourceGroup: 'desk', owner: 'desk@team' };
const registry = defineRegistry({
  name: 'desk',
  resourceGroups: { desk: {} },
  tools: [
    defineTool({
      ...common,
      name: 'look',
      summary: 'Look something up.',
      idempotency: read(),
      result: { maxBytes: 4_096, keep: ['page.order'] },
    }),
    defineTool({
      ...common,
      name: 'pay',
      summary: 'Pay a bill.',
      idempotency: { class: 'irreversible', key: { scope: 'business' } },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
    }),
    defineTool({
      ...common,
      name: 'make_key',
      summary: 'Make a key, which is shown once.',
      idempotency: { class: 'irreversible', key: { scope: 'business' } },
      compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test' },
      result: { redact: ['key'] },
    }),
  ],
});

interface Answer {
  readonly result: {
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly tools?: readonly { readonly name: string }[];
    readonly nextCursor?: string;
  };
}

const base = mkdtempSync(join(tmpdir(), 'long-results-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A session whose server gives each tool's result as it is set here. */
function setting({
  results = {},
  mode = 'enforce',
  maxBytes = 65_536,
  reads = false,
}: {
  readonly results?: Readonly<Record<string, object>>;
  readonly mode?: Mode;
  readonly maxBytes?: number;
  readonly reads?: boolean;
} = {}) {
  const clock = manualClock();
  const events = memorySink();
  const folder = mkdtempSync(join(base, 'of-'));
  const reader = reads
    ? { reader: new ResultReader(new SpillFolder(folder, clock), 'desk', maxBytes) }
    : {};
  const guard = createGuard({
    registry,
    ledger: memoryLedger({ now: clock.wallMs }),
    clock,
    events: [events],
    mode,
  });
  const waiting = new Map<unknown, (answer: Answer & { readonly text: string }) => void>();
  const sent: string[] = [];
  const tools = ['look', 'pay', 'make_key', 'write_file'].map((name) => ({
    name,
    inputSchema: { type: 'object' },
  }));
  const { fromHost, fromServer } = playedSession({
    guard,
    results: { maxBytes, ...reader },
    front: {
      answer: (text) => {
        const message = JSON.parse(text);
        waiting.get(message.id)?.({ ...message, text });
      },
    },
    upstream: {
      send({ text }) {
        const { id, method, params } = JSON.parse(text);
        if (method === 'tools/list') {
          const isLast = params.cursor === 'last';
          fromServer({ id, result: isLast ? { tools } : { tools: [], nextCursor: 'last' } });
        }
        if (method !== 'tools/call' || !isRecord(params)) return;
        sent.push(String(params.name));
        fromServer({ id, result: results[String(params.name)] ?? { content: [] } });
      },
    },
  });
  let asked = 0;
  const ask = (method: string, params: object) => {
    asked += 1;
    const answered = new Promise<Answer & { readonly text: string }>((resolve) => {
      waiting.set(asked, resolve);
    });
    fromHost({ id: asked, method, params });
    return answered;
  };
  const call = (name: string, args: object = {}) => ask('tools/call', { name, arguments: args });
  return { ask, call, events, sent, folder };
}

const text = (of: string) => ({ content: [{ type: 'text', text: of }] });
const textOf = ({ result }: Answer, index = 0) => result.content[index]?.text ?? '';

describe('MCP-57, MCP-58: a result that is too long', () => {
  it('is cut to what its entry says, else to what the proxy says, and what the entry names is kept', async () => {
    const page = { order: 'o1', log: 'x'.repeat(90_000) };
    const noise = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`noise ${index}`, 'n'.repeat(100)]),
    );
    const results = {
      look: text(JSON.stringify({ ...noise, page })),
      pay: text('y'.repeat(1_000_000)),
    };
    const { call, events } = setting({ results });
    const look = await call('look');
    expect(JSON.parse(textOf(look)).page.order).toBe('o1');
    const pay = await call('pay');
    expect(textOf(pay)).toMatch(
      /^y+\n\[holdfast left out \d+ of 1000000 characters, from \d+ on\]\ny+$/,
    );
    expect(pay.result.isError).toBeUndefined();
    const sizes = events.of('result_trimmed').map(({ givenBytes }) => givenBytes);
    expect(sizes[0]).toBeLessThanOrEqual(4_096);
    expect(sizes[1]).toBeLessThanOrEqual(65_536);
    expect(sizes[1]).toBeGreaterThan(60_000);
  });

  it('is given to an equal call as it was first given, and the effect is done once', async () => {
    const { call, sent } = setting({ results: { pay: text('y'.repeat(1_000_000)) } });
    const first = await call('pay', { bill: 1 });
    const again = await call('pay', { bill: 1 });
    expect(again.result.content).toEqual(first.result.content);
    expect(sent).toEqual(['pay']);
  });

  it('that is an error is cut, too', async () => {
    const { call } = setting({
      results: { pay: { ...text('no '.repeat(90_000)), isError: true } },
    });
    const answer = await call('pay');
    expect(answer.result.isError).toBe(true);
    expect(answer.text.length).toBeLessThan(80_000);
  });

  it.each(['shadow', 'off'] as const)('is whole in mode %s', async (mode) => {
    const { call, ask, folder } = setting({
      results: { pay: text('y'.repeat(99_999)) },
      mode,
      reads: true,
    });
    expect(textOf(await call('pay'))).toHaveLength(99_999);
    expect((await ask('tools/list', { cursor: 'last' })).result.tools).toHaveLength(4);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not kept anywhere unless somebody may read it', async () => {
    const { call, ask, folder } = setting({ results: { pay: text('y'.repeat(99_999)) } });
    expect(textOf(await call('pay'), 1)).not.toContain('ref');
    expect((await ask('tools/list', { cursor: 'last' })).result.tools).toHaveLength(4);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('what was cut', () => {
  const whole = Array.from({ length: 20_000 }, (_, line) => `line ${line}\n`).join('');

  it('can be read by ranges, by a tool of the guard that no server hears of', async () => {
    const { call, ask, sent } = setting({ results: { look: text(whole) }, reads: true });
    expect((await ask('tools/list', {})).result.tools).toEqual([]);
    const listed = (await ask('tools/list', { cursor: 'last' })).result.tools ?? [];
    const reader = listed.at(-1)?.name ?? '';
    const look = await call('look');
    const [, from = '', ref = ''] =
      /from (\d+) on[\s\S]*read with read_result_\w+: content 0 is \{"ref":"([\w-]+)"\}/.exec(
        `${textOf(look)}${textOf(look, 1)}`,
      ) ?? [];
    const range = await call(reader, { ref, from: Number(from), count: 50 });
    expect(textOf(range)).toBe(whole.slice(Number(from), Number(from) + 50));
    expect(sent).toEqual(['look']);
  });

  it('is refused as a value of a write, also without an entry', async () => {
    const { call, sent } = setting({ results: { look: text(whole) } });
    const cut = textOf(await call('look'));
    for (const tool of ['write_file', 'pay']) {
      const answer = await call(tool, { path: 'a.txt', content: `// copy\n${cut}` });
      expect(answer.result.isError).toBe(true);
      expect(textOf(answer)).toContain('content: it holds a result that was shortened');
    }
    expect(sent).toEqual(['look']);
  });
});

describe('a field that must not be kept', () => {
  it('is given once, to an equal call no more, and is in no file', async () => {
    const structuredContent = { id: 1.5, key: 'k-123', log: 'x'.repeat(70_000) };
    const results = { make_key: { ...text(JSON.stringify(structuredContent)), structuredContent } };
    const { call, sent, folder } = setting({ results, reads: true });
    const first = await call('make_key');
    expect(JSON.parse(textOf(first))).toMatchObject({ id: 1.5, key: 'k-123' });
    const again = await call('make_key');
    expect(JSON.parse(textOf(again))).toMatchObject({ id: 1.5, key: '[redacted]' });
    expect(again.text).not.toContain('k-123');
    expect(sent).toEqual(['make_key']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('goes from structured content, too', () => {
    const whole =
      '{"content":[{"type":"text","text":"the key is k-123"},{"type":"image","data":"A"}],"structuredContent":{"n":1.0,"key":"k-123"}}';
    expect(textOfResult(redacted(callResult(whole), { key: {} }))).toBe(
      '{"content":[{"type":"text","text":"[redacted]"},{"type":"image","data":"A"}],"structuredContent":{"n":1.0,"key":"[redacted]"}}',
    );
  });
});
