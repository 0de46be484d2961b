// What mutation testing is done of: the decisions that everything else relies on.
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The files of a folder that are named, or all that are no tests. */
function filesOf(folder, names) {
  const all = readdirSync(`${root}/packages/${folder}`).filter((name) => name.endsWith('.ts'));
  const sources = all.filter((name) => !/\.(?:test|fixture)\.ts$/.test(name));
  return (names?.map((name) => `${name}.ts`) ?? sources).map(
    (name) => `packages/${folder}/${name}`,
  );
}

/** Files by subject. */
export const subjects = {
  keys: filesOf('effect-ledger/src', ['identity', 'effect-key']),
  'canonical form': filesOf('tool-registry/src', ['canonical-json']),
  'transition table': filesOf('effect-ledger/src', ['transitions']),
  classification: filesOf('call-guard/src/classify'),
  'rate-limit signal': filesOf('call-guard/src', [
    'rate-limit-signal',
    'written-wait',
    'http-date',
    'header-fields',
  ]),
  'retry decision': filesOf('call-guard/src/retry'),
  'circuit breaker': filesOf('call-guard/src', [
    'protection/circuit-breaker',
    'protection/breaker-window',
    'protection/cool-down',
    'protection/breakers',
    'protection/breaker-control',
    'call/sample',
  ]),
  deadline: filesOf('call-guard/src/run', ['deadline', 'time-budget', 'propagation']),
};
