/** A program that makes a few guarded calls of tools with long time limits and has nothing else to do. */
import { memoryLedger } from '@holdfast/effect-ledger';
import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { z } from 'zod';
import { createGuard } from './index.js';

const guard = createGuard({
  registry: defineRegistry({
    name: 'one',
    resourceGroups: { g: {} },
    tools: [
      defineTool({
        name: 'send_mail',
        summary: 'Send a mail.',
        input: z.object({ to: z.string() }),
        idempotency: { class: 'irreversible' },
        compensation: { tool: 'none', avoidBy: 'accept', reason: 'nobody minds' },
        timeouts: { total: '60s' },
        resourceGroup: 'g',
        owner: 'o@team',
      }),
      defineTool({
        name: 'get_mail',
        summary: 'Read a mail.',
        input: z.object({ id: z.string() }),
        idempotency: read(),
        timeouts: { total: '60s' },
        resourceGroup: 'g',
        owner: 'o@team',
      }),
    ],
  }),
  ledger: memoryLedger(),
  limits: { deadline: '60s' },
  random: () => 0.99,
});
let reads = 0;

const caller = new AbortController();
const answers = await guard.inRun({ intentId: 'i1' }, () =>
  Promise.all([
    guard.call({ tool: 'send_mail', args: { to: 'A' }, callId: 'c1' }, async () => 'sent'),
    guard.call({ tool: 'send_mail', args: { to: 'A' }, callId: 'c2' }, async () => 'twice'),
    // Given up, and never answered: its late window must not keep the program either.
    guard.call(
      { tool: 'send_mail', args: { to: 'B' }, callId: 'c3', signal: caller.signal },
      () => {
        queueMicrotask(() => caller.abort());
        return new Promise<never>(() => {});
      },
    ),
    // Tried again after a wait, which must keep the program: nothing else does.
    guard.call({ tool: 'get_mail', args: { id: 'm' }, callId: 'c4' }, async () => {
      reads += 1;
      if (reads > 1) return 'read again';
      throw Object.assign(new Error('unavailable'), { status: 503 });
    }),
  ]),
);
process.stdout.write(
  JSON.stringify(answers.map((answer) => (answer.ok ? answer.result : answer.failure.kind))),
);
const doneAt = process.uptime();
process.on('exit', () => {
  process.stdout.write(` then ${Math.round((process.uptime() - doneAt) * 1_000)} ms idle`);
});
