import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packages = [
  'tool-registry',
  'effect-ledger',
  'call-guard',
  'langgraph-resilience',
  'mcp-guard',
];
const path = (p: string) => fileURLToPath(new URL(p, import.meta.url));

export default defineConfig({
  // Tests see the packages' sources, so they need no build. Subpaths first: the first match wins.
  resolve: {
    alias: {
      '@holdfast/tool-registry/docs': path('packages/tool-registry/src/docs/index.ts'),
      '@holdfast/tool-registry/live-server': path(
        'packages/tool-registry/src/live-server/index.ts',
      ),
      '@holdfast/tool-registry/lock': path('packages/tool-registry/src/lock/index.ts'),
      '@holdfast/tool-registry/draft': path('packages/tool-registry/src/draft/index.ts'),
      '@holdfast/tool-registry/load-registry': path('packages/tool-registry/src/load-registry.ts'),
      '@holdfast/effect-ledger/sqlite': path('packages/effect-ledger/src/sqlite/index.ts'),
      '@holdfast/call-guard/testing': path('packages/call-guard/src/testing/index.ts'),
      '@holdfast/langgraph-resilience/middleware': path(
        'packages/langgraph-resilience/src/middleware/index.ts',
      ),
      ...Object.fromEntries(
        packages.map((p) => [`@holdfast/${p}`, path(`packages/${p}/src/index.ts`)]),
      ),
    },
  },
  test: {
    // The first test of a file may have to load and transform all packages, on a machine that does much else.
    testTimeout: 60_000,
    reporters: process.env.CI
      ? ['default', './test/support/closing-line-reporter.ts']
      : ['default'],
    projects: [
      ...packages.map((p) => ({
        extends: true as const,
        test: { name: `unit:${p}`, root: `packages/${p}`, include: ['src/**/*.test.ts'] },
      })),
      {
        extends: true,
        test: { name: 'unit:examples', root: 'examples', include: ['**/*.test.ts'] },
      },
      {
        extends: true,
        test: { name: 'unit:scripts', root: 'scripts', include: ['*.test.ts'] },
      },
      {
        extends: true,
        test: { name: 'bench', root: 'bench', include: ['*.test.ts'] },
      },
      {
        extends: true,
        test: { name: 'cases', root: 'test', include: ['cases/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        extends: true,
        test: { name: 'parity', root: 'test', include: ['parity/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { name: 'switches', root: 'test', include: ['switches.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'checkpoint-validation',
          root: 'test',
          include: ['checkpoint-validation.test.ts'],
          // The suite takes vitest's functions from there.
          globals: true,
        },
      },
      {
        extends: true,
        test: {
          name: 'crash',
          root: 'test',
          include: ['crash/**/*.test.ts'],
          testTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: { name: 'mcp', root: 'test', include: ['mcp/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'end-to-end',
          root: 'test',
          include: ['end-to-end/**/*.test.ts'],
          testTimeout: 300_000,
        },
      },
    ],
  },
});
