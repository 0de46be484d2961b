import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as createAgentAfter from '../../examples/adopt/create-agent.after.js';
import * as createAgentBefore from '../../examples/adopt/create-agent.before.js';
import * as createReactAgentAfter from '../../examples/adopt/create-react-agent.after.js';
import * as createReactAgentBefore from '../../examples/adopt/create-react-agent.before.js';
import { guard } from '../../examples/adopt/guard.js';
import * as stateGraphAfter from '../../examples/adopt/state-graph.after.js';
import * as stateGraphBefore from '../../examples/adopt/state-graph.before.js';

/** A billing service that pays each refund it is asked for, and whose first answer is lost on the way. */
class BillingService {
  refunds = 0;
  readonly #server: Server = createServer((request, response) => {
    request.resume().once('end', () => {
      this.refunds += 1;
      if (this.refunds === 1) request.socket.destroy();
      else response.end('{"refunded":true}');
    });
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** The ledger's file, named before the guard opens it. */
const folder = await vi.hoisted(async () => {
  const [{ mkdtempSync }, { tmpdir }, { join }] = await Promise.all([
    import('node:fs'),
    import('node:os'),
    import('node:path'),
  ]);
  const made = mkdtempSync(join(tmpdir(), 'holdfast-adopt-'));
  process.env.LEDGER = join(made, 'agent.db');
  return made;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Added or changed lines that an agent may cost at most. */
const MOST_LINES = 6;

const input = { messages: [{ role: 'user', content: 'Refund invoice inv_7, 500 cents.' }] };

describe.each([
  ['create-agent', createAgentBefore.agent, createAgentAfter.agent],
  ['create-react-agent', createReactAgentBefore.agent, createReactAgentAfter.agent],
  ['state-graph', stateGraphBefore.agent, stateGraphAfter.agent],
])('%s, when the answer to a refund is lost', (name, before, after) => {
  const config = { configurable: { thread_id: name } };
  let billing: BillingService;
  beforeEach(async () => {
    billing = new BillingService();
    vi.stubEnv('BILLING_URL', await billing.start());
  });
  afterEach(() => {
    billing.stop();
    vi.unstubAllEnvs();
  });

  it('before: pays it twice', async () => {
    await before.invoke(input, config);
    expect(billing.refunds).toBe(2);
  });

  it('after: pays it once, though the model asks again, and says that it is not certain', async () => {
    const { report, output } = await guard.run(after, input, config);
    expect(billing.refunds).toBe(1);
    expect(output?.messages.flatMap(failureKind)).toEqual(['transport_lost', 'outcome_unknown']);
    expect(report).toMatchObject({
      status: 'partial',
      notDone: [{ tool: 'refund', effect: 'unknown' }],
    });
  });
});

// That the diffs are those of the files is tested with the other READMEs.
it(`each costs at most ${MOST_LINES} lines, as the README shows`, async () => {
  const readme = new URL('../../examples/adopt/README.md', import.meta.url);
  const diffs = (await readFile(readme, 'utf8')).matchAll(/```diff\n([\s\S]*?)```/g);
  const added = [...diffs].map(([, diff = '']) => diff.match(/^\+.*/gm) ?? []);
  console.info(added.map((lines) => lines.join('\n')).join('\n\n'));
  expect(added).toHaveLength(3);
  for (const lines of added) {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
  }
});

function failureKind(message: BaseMessage): string[] {
  return ToolMessage.isInstance(message) ? [message.artifact.kind] : [];
}
