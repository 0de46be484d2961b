import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { type Bundle, bundleForSuite, bundleProxy } from '../bundle.js';
import { fixtureTools } from './fixture-tools.js';
import { capabilities, listening, useAll } from './transcript.js';

let bundle: Bundle;
let fixture: string;
beforeAll(async () => {
  [bundle, fixture] = await Promise.all([bundleProxy(), bundleForSuite('fixture')]);
});

const open: Client[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function transcript(guard: readonly string[]): Promise<Record<string, readonly unknown[]>> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  open.push(client);
  const heard = listening(client);
  const args = [...guard, fixture];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return { answers: await useAll(client), heard };
}

it('MCP-72: all that the conformance suite uses passes the proxy: results, progress, logs, questions', async () => {
  const ledger = join(await mkdtemp(join(tmpdir(), 'holdfast-fixture-')), 'ledger.db');
  const direct = await transcript([]);
  const proxied = await transcript([bundle.program, '--ledger', ledger, '--', process.execPath]);
  expect(withoutFailures(proxied)).toEqual(direct);
  // Neither is empty for the same reason: nothing was refused, and each question came.
  const { answers = [], heard = [] } = direct;
  expect(answers.length).toBeGreaterThan(fixtureTools.size);
  expect(JSON.stringify(answers)).not.toContain('-32601');
  expect(heard).toHaveLength(3 + 1 + 3);
});

/** Without the one thing that the guard adds: what an error result means. */
function withoutFailures(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || !('_meta' in inner)) return inner;
    const { _meta, ...rest } = inner;
    return typeof _meta === 'object' && _meta !== null && 'dev.holdfast/failure' in _meta
      ? rest
      : inner;
  });
}
