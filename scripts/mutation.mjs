// Mutation testing: changes the code in each place where it could be wrong, and counts the changes that no test notices.
// npm run mutation -- [--mutate FILE,...] [--force] [--json]
//   --mutate   only these files, or places in them: packages/effect-ledger/src/identity.ts:30-40
//   --force    what was judged in earlier runs, too
//   --json     prints the scores alone, as JSON
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import config from '../stryker.config.mjs';
import { subjects } from './mutation-subjects.mjs';

const { values } = parseArgs({
  options: {
    mutate: { type: 'string' },
    force: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const { json, mutate, force } = values;

// What earlier runs found of other files is kept, and told by a run of all.
const asked = mutate?.split(',').map((place) => place.replace(/:\d.*$/, ''));
const isAsked = ({ fileName }) => asked?.some((file) => fileName.endsWith(file)) ?? true;

const judged = await new Stryker({
  configFile: 'stryker.config.mjs',
  force,
  ...(mutate === undefined ? {} : { mutate: mutate.split(',') }),
  ...(json ? { reporters: [], logLevel: 'off' } : {}),
}).runMutationTest();
const mutants = judged.filter(isAsked);

/** What became of mutants. Those that do not compile or are excluded with a reason count for nothing. */
function scoreOf(some) {
  const count = (...statuses) => some.filter(({ status }) => statuses.includes(status)).length;
  const killed = count('Killed', 'Timeout');
  const survived = count('Survived', 'NoCoverage');
  const score = Math.round((10_000 * killed) / (killed + survived || 1)) / 100;
  return { score, killed, survived, excluded: count('Ignored') };
}

const scores = Object.entries(subjects).flatMap(([subject, files]) => {
  const own = mutants.filter(({ fileName }) => files.some((file) => fileName.endsWith(file)));
  return own.length === 0 ? [] : [{ subject, ...scoreOf(own) }];
});
scores.push({ subject: 'total', ...scoreOf(mutants) });

if (json) console.log(JSON.stringify(scores, null, 2));
else console.table(Object.fromEntries(scores.map(({ subject, ...score }) => [subject, score])));
if (scores.some(({ score }) => score < config.thresholds.break)) process.exitCode = 1;
