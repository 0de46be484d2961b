import { defineConfig } from 'vitest/config';
import everything from './vitest.config.js';

const of = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `packages/${folder}/${name}.test.ts`);

/**
 * The tests that mutants must not survive: those that stand beside what is mutated. Not the rest, and not
 * the files of property tests: they notice many a mutant too, and a run would last for hours.
 */
export default defineConfig({
  ...(everything.resolve === undefined ? {} : { resolve: everything.resolve }),
  test: {
    include: [
      ...of('tool-registry/src', 'canonical-json'),
      ...of('effect-ledger/src', 'identity', 'effect-key', 'transitions'),
      ...of('call-guard/src/classify', '*'),
      ...of('call-guard/src', 'rate-limit-signal', 'header-fields', 'call/sample'),
      ...of('call-guard/src/retry', '*'),
      ...of('call-guard/src/protection', 'breaker*', 'circuit-breaker'),
      ...of('call-guard/src/run', 'deadline', 'propagation', 'time-budget'),
    ],
  },
});
