import { readFileSync } from 'node:fs';
import { defineConfig, type UserConfig } from 'tsdown';

// Run in each package's folder. The entries are what its package.json exports, and its programs.
const { exports, bin = {} } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, string | { import: { default: string } }>;
  bin?: Record<string, string>;
};
const modules = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.import.default],
);
const programs = Object.values(bin);

const shared: UserConfig = {
  cwd: process.cwd(),
  sourcemap: true,
  clean: true,
  target: 'node20',
  platform: 'node',
};

export default defineConfig([
  ...(modules.length === 0
    ? []
    : [
        { ...shared, entry: sources(modules), format: ['esm' as const, 'cjs' as const], dts: true },
      ]),
  // A program is run, never imported.
  ...(programs.length === 0
    ? []
    : [{ ...shared, entry: sources(programs), format: 'esm' as const, dts: false }]),
]);

/** The sources of built files. */
function sources(built: readonly string[]): Record<string, string> {
  const names = built.map((file) => file.replace('./dist/', '').replace('.mjs', ''));
  return Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
}
