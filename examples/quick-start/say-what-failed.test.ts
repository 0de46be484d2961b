import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

/** Accepts the token that it gave, and knows one closed invoice. */
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => {
    asked.push(request.url ?? '');
    if (request.url === '/token') response.end('t1');
    else if (request.headers.authorization !== 'Bearer t1') response.writeHead(401).end('expired');
    else if (body.includes('inv_closed')) response.writeHead(422).end('the invoice is closed');
    else response.end('{"refunded":true}');
  });
});
const asked: string[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'say-what-failed-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('BILLING_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('LEDGER', join(folder, 'agent.db'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

it('a tool renews its credentials, and says what it knows of its failure', async () => {
  const { guard, refund } = await import('./say-what-failed.js');
  const call = (invoiceId: string) =>
    guard.inRun({ intentId: 'i1' }, () =>
      guard.call(
        { tool: 'refund', args: { invoiceId, cents: 500, note: 'n' }, callId: invoiceId },
        refund,
      ),
    );
  expect(await call('inv_7')).toMatchObject({ ok: true, result: { refunded: true }, attempts: 2 });
  expect(asked).toEqual(['/refunds', '/token', '/refunds']);
  expect(await call('inv_closed')).toMatchObject({
    ok: false,
    failure: {
      kind: 'business_error',
      effect: 'none',
      details: { code: 'invoice_closed', message: 'the invoice is closed' },
      forUser: '「refund」は受け付けられませんでした。何も変更されていません。',
    },
  });
});
