import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsdown';

// Run in each package's folder. The entries are what its package.json exports.
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, string | { import: { default: string } }>;
};
const entry = Object.values(exports).flatMap((target) =>
  typeof target === 'string'
    ? []
    : [target.import.default.replace('./dist/', '').replace('.mjs', '')],
);

export default defineConfig({
  cwd: process.cwd(),
  entry: Object.fromEntries(entry.map((name) => [name, `src/${name}.ts`])),
  format: ['esm', 'cjs'],
  dts: true,
  sourcemap: true,
  clean: true,
  target: 'node20',
  platform: 'node',
});
