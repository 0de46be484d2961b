import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

it('RS-35: a program whose calls have long time limits ends by itself as soon as it is done, and not before', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', path('./one-call.fixture.ts')],
    {
      cwd: path('../../..'),
      env: { ...process.env, TSX_TSCONFIG_PATH: path('../../../tsconfig.json') },
      timeout: 30_000,
    },
  );
  const [, said, idleMs] = /^(.*) then (\d+) ms idle$/.exec(stdout) ?? [];
  expect(JSON.parse(said ?? 'null')).toEqual(['sent', 'sent', 'cancelled', 'read again']);
  expect(Number(idleMs)).toBeLessThan(1_000);
}, 40_000);
