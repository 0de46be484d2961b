// Builds the packages and writes each as the tarball that a registry would get.
// npm run pack -- FOLDER   default: tarballs
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = resolve(process.argv[2] ?? 'tarballs');
mkdirSync(folder, { recursive: true });

const pnpm = (...args) => {
  const program = fileURLToPath(new URL('pnpm.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: [0, 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
};
pnpm('--install', 'exec', 'turbo', 'run', 'build', '--output-logs=errors-only');
pnpm('--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder);
console.log(`In your project: npm install ${folder}/*.tgz libsql`);
