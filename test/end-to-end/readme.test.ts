import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GuardError } from '@holdfast/call-guard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explain } from '../../examples/quick-start/handle-failure.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A model that asks for one refund and then says so, and a billing service that counts refunds. */
class World {
  readonly refunds: { readonly key: string | undefined; readonly body: string }[] = [];
  readonly #server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const answer = request.url?.endsWith('/chat/completions')
        ? completion(body)
        : this.#refund(request.headers['idempotency-key'], body);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #refund(key: string | string[] | undefined, body: string): object {
    this.refunds.push({ key: typeof key === 'string' ? key : undefined, body });
    return { refunded: true };
  }
}

function completion(body: string): object {
  const { messages } = JSON.parse(body) as { messages: { role: string }[] };
  const args = { invoiceId: 'inv_7', cents: 500, note: 'as asked' };
  const call = { name: 'refund', arguments: JSON.stringify(args) };
  const asks = messages.at(-1)?.role === 'user';
  return {
    id: `chatcmpl-${messages.length}`,
    object: 'chat.completion',
    created: 0,
    model: 'gpt-5',
    choices: [
      {
        index: 0,
        finish_reason: asks ? 'tool_calls' : 'stop',
        message: asks
          ? {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'call_1', type: 'function', function: call }],
            }
          : { role: 'assistant', content: 'Refunded.' },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

describe('the README', () => {
  const world = new World();
  let url: string;
  let folder: string;
  beforeAll(async () => {
    url = await world.start();
    folder = await mkdtemp(join(tmpdir(), 'holdfast-readme-'));
  });
  afterAll(async () => {
    world.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows the files of the quick start as they are', async () => {
    await run(process.execPath, [join(root, 'scripts/sync-readme.mjs'), '--check']);
  });

  it('shows an agent that runs: one refund, with its key', async () => {
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', join(root, 'examples/quick-start/quick-start.ts')],
      {
        cwd: join(root, 'examples'),
        env: {
          ...process.env,
          OPENAI_API_KEY: 'none',
          OPENAI_BASE_URL: `${url}/v1`,
          BILLING_URL: url,
          LEDGER: join(folder, 'agent.db'),
        },
      },
    );
    expect(stdout).toMatch(/^complete Done: refund\./);
    expect(world.refunds).toHaveLength(1);
    expect(world.refunds[0]?.key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('shows what bounds a run', async () => {
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', join(root, 'examples/quick-start/bounds.ts')],
      {
        cwd: join(root, 'examples'),
        env: { ...process.env, LEDGER: join(folder, 'bounds.db') },
      },
    );
    expect(stdout).toBe('{ calls: 0, runs: 0 }\nopen\n');
  });

  it('shows how a failure is told', () => {
    const failure = new GuardError({
      kind: 'transport_lost',
      effect: 'unknown',
      next: { by: 'nobody', advice: 'do_not_retry' },
      details: { sent: true },
      tool: 'refund',
      callId: 'call_1',
      runId: 'r',
      intentId: 'i',
      attempts: 1,
      forModel: '',
      forUser: '',
    });
    expect(explain(failure)).toMatch(/^Not certain/);
  });
});
