import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
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
      plain: z.object({ effects }),
      guarded: z.object({ effects, status: z.string(), resentUnknown: z.number() }),
    }),
  ),
  ledger: z.string(),
  events: z.string(),
});

it('the demo: under each fault the stock agent repeats an effect and the guarded one does not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  try {
    const args = ['--import', 'tsx', 'order-desk/demo.ts', '--json', '--folder', folder];
    const { stdout } = await run(process.execPath, args, { cwd: examples });
    const { faults, ledger, events } = outcome.parse(JSON.parse(stdout));
    expect(faults.map(({ name }) => name)).toEqual(['lost-response', 'kill']);
    for (const { plain, guarded } of faults) {
      expect(Math.max(...Object.values(plain.effects))).toBeGreaterThan(1);
      expect(Object.values(guarded.effects)).toEqual([1, 1]);
      expect(guarded).toMatchObject({ status: 'complete', resentUnknown: 0 });
    }
    expect([ledger, events].every(existsSync)).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
