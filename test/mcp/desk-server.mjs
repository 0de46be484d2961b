/**
 * A small MCP server without any SDK, so that it can misbehave: it prints between messages, ends, answers
 * late and at length. Each effect is a line in the file that EFFECTS names.
 */
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const effect = (line) => appendFileSync(process.env.EFFECTS, `${line}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });

const tools = {
  echo: ({ id, params }) => say({ id, result: text(JSON.stringify(params)) }),
  exact: ({ id }) =>
    process.stdout.write(
      `{"result":{"content":[],"vendor":{"n":1.0e+2}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n`,
    ),
  send_mail({ id, params }) {
    effect(`mail ${params.arguments.to}`);
    say({ id, result: text('sent') });
  },
  send_and_die({ params }) {
    effect(`mail ${params.arguments.to}`);
    process.kill(process.pid, 'SIGKILL');
  },
  send_and_end({ id, params }) {
    effect(`mail ${params.arguments.to}`);
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: text('sent') });
    process.stdout.write(answer, () => process.exit(0));
  },
  send_slowly({ id, params }) {
    effect(`mail ${params.arguments.to}`);
    pending.set(id, () => say({ id, result: text('sent') }));
  },
  waits({ id, params }) {
    effect(`mail ${params.arguments.to}`);
    pending.set(id, () => say({ id, result: text('sent') }));
  },
  /** Answers what waits, in the order in which it was asked. */
  release({ id }) {
    for (const answer of pending.values()) answer();
    pending.clear();
    say({ id, result: text('released') });
  },
  steps({ id, params }) {
    const { progressToken } = params._meta ?? {};
    for (const progress of [1, 2]) {
      say({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
    }
    say({ id, result: text('walked') });
  },
  /** Says more than any pipe holds, as fast as it is read. */
  async floods({ id }) {
    const params = { text: 'x'.repeat(64 * 1024) };
    for (let at = 0; at < 400; at += 1) {
      const line = { jsonrpc: '2.0', method: 'notifications/message', params: { at, ...params } };
      if (at === 30) effect('flooding');
      if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
    }
    say({ id, result: text('flooded') });
  },
  whoami: ({ id }) => say({ id, result: text(JSON.stringify({ pid: process.pid })) }),
  refuses: ({ id }) =>
    say({ id, error: { code: -32602, message: 'no such order', data: { order: 7 } } }),
  says_no: ({ id }) => say({ id, result: { ...text('out of stock'), isError: true } }),
  noisy({ id }) {
    process.stdout.write('starting\n');
    process.stdout.write(
      `42 % done${JSON.stringify({ jsonrpc: '2.0', id, result: text('quiet') })}\n`,
    );
  },
  /** Longer than what the SDK's transports take, and no longer than what the guard does. */
  long({ id }) {
    effect('long');
    say({ id, result: text('x'.repeat(11 * 1024 * 1024)) });
  },
  huge({ id }) {
    effect('huge');
    say({ id, result: text('x'.repeat(65 * 1024 * 1024)) });
  },
  /** Asks the host something in between. */
  asks({ id }) {
    pending.set('question', () => say({ id, result: text('asked') }));
    say({ id: 0, method: 'elicitation/create', params: { message: 'sure?' } });
  },
};

const pending = new Map();
const pages = [Object.keys(tools).slice(0, 4), Object.keys(tools).slice(4)];
const tool = (name) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } });

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (method === undefined) return pending.get('question')?.();
  switch (method) {
    case 'initialize':
      return say({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'desk', version: '1' },
        },
      });
    case 'tools/list': {
      const page = params?.cursor === undefined ? 0 : Number(params.cursor);
      const next = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {};
      return say({ id, result: { tools: pages[page].map(tool), ...next } });
    }
    case 'tools/call':
      return tools[params.name]?.(message) ?? undefined;
    // Something that no request caused.
    case 'notifications/roots/list_changed':
      return say({ method: 'notifications/tools/list_changed' });
    case 'notifications/cancelled':
      return effect(`cancelled ${params.requestId}`);
    case 'vendor/hello':
      return say({ id, result: { hello: params } });
  }
});
// Stays when its input ends, as servers with timers do; `--leaves` makes it one that goes.
if (!process.argv.includes('--leaves')) setInterval(() => {}, 1_000);
