// Compiles better-sqlite3 against this Node's own headers, for the tests that run the ledger on it.
// A clone does without: docs/decisions/0003-sqlite-drivers.md.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(join(root, 'test/package.json'));
const folder = dirname(require.resolve('better-sqlite3/package.json'));
if (!existsSync(join(folder, 'build/Release/better_sqlite3.node'))) {
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, 'include/node/node.h'))
    ? { npm_config_nodedir: prefix }
    : {};
  const built = spawnSync('npm', ['run', 'build-release'], {
    cwd: folder,
    env: { JOBS: 'max', ...process.env, ...headers },
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  process.exit(built.status ?? 1);
}
