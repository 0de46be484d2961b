import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { z } from 'zod';

const run = promisify(execFile);
const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const effects = z.record(z.string(), z.number());
const outcome = z.object({
  faults: z.array(
    z.object({
      name: z.string(),
      plain: z.object({ effects, mailRequests: z.number() }),
      guarded: z.object({
        effects,
        mailRequests: z.number(),
        status: z.string(),
        notDone: z.array(z.object({ tool: z.string(), kind: z.string(), effect: z.string() })),
        resentUnknown: z.number(),
      }),
    }),
  ),
  ledger: z.string(),
  events: z.string(),
});
const retry = z.object({
  type: z.literal('retry_scheduled'),
  kind: z.literal('rate_limited'),
  waitMs: z.number(),
  directedBy: z.string(),
});

const MINUTES = 60_000;

it(
  'the demo: six faults, under which the stock agent repeats or leaves out an effect and the guarded one does not',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
    try {
      const args = ['--import', 'tsx', 'order-desk/demo.ts', '--json', '--folder', folder];
      const { stdout } = await run(process.execPath, args, { cwd: examples });
      const { faults, ledger, events } = outcome.parse(JSON.parse(stdout));

      const counts = faults.map(({ name, plain, guarded }) => [
        name,
        Math.max(...Object.values(plain.effects)) > 1 ? 'repeats' : 'does not',
        Math.max(...Object.values(guarded.effects)),
        guarded.status,
        guarded.mailRequests,
        ...guarded.notDone.map(({ kind }) => kind),
      ]);
      expect(counts).toEqual([
        ['lost-response', 'repeats', 1, 'complete', 1],
        ['kill', 'repeats', 1, 'complete', 1],
        ['rate-limit', 'does not', 1, 'complete', 2],
        ['asks-again', 'repeats', 1, 'complete', 1],
        ['broken-mail', 'repeats', 1, 'partial', 3, 'dependency_failed', 'circuit_open'],
        ['short-deadline', 'repeats', 1, 'partial', 0, 'deadline_exceeded'],
      ]);
      expect(faults.map(({ guarded }) => guarded.resentUnknown)).toEqual(Array(6).fill(0));
      const mailOf = (wishes: Record<string, number>) =>
        Object.entries(wishes).filter(([wish]) => wish.startsWith('send_mail'));
      const limited = faults.find(({ name }) => name === 'rate-limit');
      expect(mailOf(limited?.plain.effects ?? {})).toEqual([]);
      expect(mailOf(limited?.guarded.effects ?? {})).toHaveLength(1);

      expect(existsSync(ledger)).toBe(true);
      const lines = (await readFile(events, 'utf8')).trim().split('\n');
      const retries = lines
        .map((line) => retry.safeParse(JSON.parse(line)))
        .flatMap(({ data }) => data ?? []);
      expect(retries).toEqual([
        { type: 'retry_scheduled', kind: 'rate_limited', waitMs: 3_000, directedBy: 'server' },
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  10 * MINUTES,
);
