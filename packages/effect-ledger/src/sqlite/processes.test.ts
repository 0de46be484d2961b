import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../testing/sqlite-file.js';
import { sqliteLedger } from './sqlite-ledger.js';

const here = (path: string) => new URL(path, import.meta.url).href;
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const imports = `
  import { sqliteLedger } from '${here('./index.ts')}';
  import { isSetupError } from '@holdfast/tool-registry';
  import { succeeded, wish, worker } from '${here('../testing/worker.ts')}';
  const file = process.env.LEDGER_FILE;
`;

/** A process that runs this program on the ledger file. */
function child(file: string, program: string): ChildProcess {
  return spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', imports + program],
    {
      cwd: repository,
      env: {
        ...process.env,
        LEDGER_FILE: file,
        TSX_TSCONFIG_PATH: join(repository, 'tsconfig.json'),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  if (stdout !== null) await once(stdout, 'data');
}

async function output(process: ChildProcess): Promise<string> {
  let text = '';
  process.stdout?.on('data', (data) => {
    text += data;
  });
  const [code] = await once(process, 'close');
  expect(code).toBe(0);
  return text;
}

describe('processes with one ledger file', () => {
  let file: string;
  let folder: string;
  let remove: () => void;
  beforeEach(() => {
    ({ folder, remove } = newFolder());
    file = join(folder, 'ledger.db');
  });
  afterEach(() => remove());

  it('open a new file at once, and race for each of fifty claims: one wins it, the other knows', async () => {
    const program = `
      console.log('ready');
      await new Promise((resolve) => process.stdin.once('end', resolve).resume());
      const ledger = sqliteLedger(file);
      const me = worker(ledger, String(process.pid));
      const found = [];
      for (let i = 0; i < 50; i++) {
        const claim = await me.claim(wish({ runId: 'run ' + i, identity: 'wish ' + i }));
        if (claim.found === 'nothing') await me.move(claim.effect, succeeded('by ' + process.pid));
        found.push(claim.found);
      }
      console.log(JSON.stringify(found));
    `;
    const racers = [child(file, program), child(file, program)];
    const outputs = racers.map(output);
    // Both are loaded before either begins.
    await Promise.all(racers.map(ready));
    for (const racer of racers) racer.stdin?.end();
    const [one, two] = (await Promise.all(outputs)).map((text): string[] =>
      JSON.parse(text.replace('ready', '')),
    );
    const pairs = one?.map((found, i) => [found, two?.[i]].sort().join()) ?? [];
    expect(pairs).toHaveLength(50);
    expect(new Set(pairs)).toSatisfy((seen: Set<string>) =>
      [...seen].every((pair) => pair === 'done,nothing' || pair === 'nothing,open'),
    );
    const ledger = sqliteLedger(file);
    for (let i = 0; i < 50; i++) {
      const rows = await ledger.find({ runId: `run ${i}` });
      expect(rows.map((row) => row.state)).toEqual(['succeeded']);
    }
    await ledger.close();
  }, 30_000);

  it('end by themselves when their work is done, with the ledger open or closed', async () => {
    const program = `
      const open = sqliteLedger(file);
      await worker(open, 'ada').doing(wish(), succeeded());
      await Promise.all([1, 2, 3].map((ordinal) => worker(open, 'ada' + ordinal)
        .claim(wish({ runId: 'run-' + ordinal, ordinal }))));
      const closed = sqliteLedger(file);
      await closed.close();
      process.once('beforeExit', () => console.log('nothing keeps me'));
    `;
    expect(await output(child(file, program))).toBe('nothing keeps me\n');
  }, 30_000);

  it('are told when this user may only read the file or its folder', async () => {
    const program = `
      // Nothing is forbidden to the superuser.
      if (process.getuid() === 0) process.setuid(65534);
      try {
        sqliteLedger(file);
      } catch (error) {
        console.log(isSetupError(error) ? error.code + ' ' + error.reason : error);
      }
    `;
    chmodSync(folder, 0o755);
    const readOnly = join(folder, 'locked');
    mkdirSync(readOnly);
    const inside = join(readOnly, 'ledger.db');
    await sqliteLedger(inside).close();
    chmodSync(inside, 0o444);
    chmodSync(readOnly, 0o555);
    expect(await output(child(inside, program))).toBe(
      `ledger_read_only ${inside}: ${readOnly} cannot be written\n`,
    );
    chmodSync(readOnly, 0o777);
    expect(await output(child(inside, program))).toBe(
      `ledger_read_only ${inside}: ${inside} cannot be written\n`,
    );
  }, 30_000);
});
