/** Each mechanism can be seen to work: switched off, a case that names what it does turns red. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RemovableMechanism } from '@holdfast/call-guard/testing';
import { describe, expect, it } from 'vitest';

/** For each mechanism a case, by file and title, that holds with it and not without it. */
const cases: { readonly [M in RemovableMechanism]: readonly [file: string, title: string] } = {
  'write-ahead': ['once-in-one-run', 'mail to A, to B, to A mails A once'],
  'single-flight': ['retries-below', 'a node that tries again while the tool still runs joins it'],
  barrier: ['mechanisms', 'an irreversible call waits until its checkpoint is durable'],
  probe: ['mechanisms', 'the other side is asked: without \\[\\]'],
  'class-rules': ['mechanisms', 'the class decides about retries: without \\[\\]'],
  deadline: ['run-control', 'RS-22: a call that cannot finish in what is left'],
  'retry-budget': ['run-control', 'RS-17: retries are a share of the calls'],
  'retry-scope': ['run-control', 'RS-16: a call inside of one that is tried again'],
  'circuit-breaker': ['run-control', 'a broken tool is called no more'],
  'loop-guard': ['run-control', 'LG-27: the same call with the same result'],
};

const root = fileURLToPath(new URL('..', import.meta.url));

/** How a case ends in a process of its own, without a mechanism. */
async function play(
  mechanism: RemovableMechanism,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const [file, title] = cases[mechanism];
  const outcome = join(tmpdir(), `holdfast-switch-${process.pid}-${mechanism}.json`);
  const args = ['vitest', 'run', '--project', 'cases', `test/cases/${file}.test.ts`];
  const options = ['-t', title, '--reporter', 'json', '--outputFile', outcome];
  const env: NodeJS.ProcessEnv = { ...process.env, HOLDFAST_TEST_WITHOUT: mechanism };
  // Not the worker of this test run, whatever it is in.
  for (const name of Object.keys(env)) if (name.startsWith('VITEST')) delete env[name];
  // A red case is an exit code too.
  await promisify(execFile)('npx', [...args, ...options], { cwd: root, env }).catch(() => {});
  const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(
    await readFile(outcome, 'utf8'),
  );
  return { passed, failed };
}

describe('a mechanism that is switched off turns a case red', () => {
  it.each(Object.keys(cases) as RemovableMechanism[])(
    '%s',
    async (mechanism) => {
      const { passed, failed } = await play(mechanism);
      expect(failed).toBeGreaterThan(0);
      // On every kind of agent.
      expect(passed).toBe(0);
    },
    120_000,
  );
});
