import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Declaration } from '../effect.js';
import { ledgerReader } from '../sqlite/ledger-reader.js';
import { openToRead } from '../sqlite/open-to-read.js';
import { sqliteLedger } from '../sqlite/sqlite-ledger.js';
import type { LedgerStore } from '../store.js';
import { capturedTerminal } from '../testing/captured-terminal.js';
import { newFolder } from '../testing/sqlite-file.js';
import { succeeded, unknown, wish, worker } from '../testing/worker.js';
import { readCommandLine } from './command-line.js';
import { runCommand } from './run-command-line.js';

const page = fileURLToPath(new URL('../../../../docs/effect-ledger.md', import.meta.url));
/** Each command of the page, and what the page says that it prints. */
const shown = [...readFileSync(page, 'utf8').matchAll(/```console\n\$ (.*)\n([\s\S]*?)```/g)].map(
  ([, command = '', output = '']) => ({ command, output }),
);

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const digest = (start: string) => start.padEnd(64, '0');
const [first, second] = [`run_3f2a9c1b04${'0'.repeat(22)}`, `run_9b7704e1d2${'0'.repeat(22)}`];

/** The ledger that the page talks of: a refund in each of two requests, and a mail that is lost. */
async function write(ledger: LedgerStore): Promise<void> {
  const ada = worker(ledger, 'ada');
  const admit = (runId: string, intentId: string, inputId: string) =>
    ledger.admit({
      ...{ tenant: 'default', runId, intentId, threadId: 'T1', inputId, inputDigest: 'd' },
      ...{ registryDigest: 'r', input: new Uint8Array(240), mode: 'enforce' },
      limits: { deadlineMs: 40_000, steps: 20 },
    });
  const call = (callId: string, messageId: string, change: Partial<Declaration>) => {
    const place = { threadId: 'T1', messageId, position: 0, callId };
    return wish({ tenant: 'default', toolVersion: '1.0.0', place, ...change });
  };
  const refund: Partial<Declaration> = {
    tool: 'refund',
    class: 'idempotent-write',
    identity: '{"cents":500,"invoiceId":"inv_7"}',
    argsDigest: digest('4ec813c6fb'),
  };
  await admit(first, 'in_1', 'msg_1');
  const once = call('call_1', 'msg_2', { ...refund, runId: first, intentId: 'in_1' });
  await ada.doing(once, succeeded('{"refunded":1}'));
  await ledger.endRun(first, 'complete', 1420);
  await admit(second, 'in_2', 'msg_5');
  const again = call('call_7', 'msg_6', { ...refund, runId: second, intentId: 'in_2' });
  await ada.doing(again, succeeded('{"refunded":2}'));
  const mail = call('call_8', 'msg_8', {
    ...{ runId: second, intentId: 'in_2', argsDigest: digest('77b0e6ad91') },
    frozenArgs: bytes({ to: 'ben@example.com', text: 'Refunded.' }),
  });
  await ada.doing(mail, { ...unknown(), reason: 'transport_lost' });
  await ledger.consume(second, 2310);
}

describe('docs/effect-ledger.md', () => {
  let file: string;
  let ledger: LedgerStore;
  let remove: () => void;
  beforeAll(async () => {
    const made = newFolder();
    remove = made.remove;
    file = join(made.folder, 'agent.db');
    let now = Date.UTC(2026, 2, 1, 12);
    ledger = sqliteLedger(file, { now: () => (now += 250) });
    await write(ledger);
  });
  afterAll(async () => {
    await ledger.close();
    remove();
  });

  it('shows commands', () => {
    expect(shown.length).toBeGreaterThan(3);
  });

  it.each(shown)('shows what is printed: $command', ({ command, output }) => {
    const [, ...argv] = command.split(' ');
    const asked = readCommandLine(['node', 'effect-ledger', ...argv]);
    if (asked.command === 'help') throw new Error('the page shows no help');
    const reader = ledgerReader(openToRead(file));
    const terminal = capturedTerminal();
    runCommand({ ...asked, file }, reader, terminal);
    reader.close();
    expect(terminal.taken()).toBe(output);
  });
});
