import { subjects } from './scripts/mutation-subjects.mjs';

export default {
  testRunner: 'vitest',
  // By name: pnpm's folders are not searched.
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts' },
  mutate: Object.values(subjects).flat(),
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  jsonReporter: { fileName: 'reports/mutation/report.json' },
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },

  ignorePatterns: ['dist', 'docs', 'examples', 'bench', 'test', '.ci'],
  concurrency: 1,
  thresholds: { high: 95, low: 90, break: 90 },
};
