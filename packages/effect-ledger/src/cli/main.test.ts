import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteLedger } from '../sqlite/sqlite-ledger.js';
import { begun, writeScene } from '../testing/ledger-scene.js';
import { newFolder } from '../testing/sqlite-file.js';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const main = fileURLToPath(new URL('./main.ts', import.meta.url));

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the program as a process of its own. */
function effectLedger(...argv: readonly string[]): Promise<Ran> {
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(repository, 'tsconfig.json') };
  return new Promise((resolve) => {
    const program = execFile(
      process.execPath,
      ['--import', 'tsx', main, ...argv],
      { cwd: repository, env },
      (_, output, errors) => resolve({ code: program.exitCode, output, errors }),
    );
  });
}

describe('the program effect-ledger', () => {
  let folder: string;
  let file: string;
  let remove: () => void;
  beforeEach(() => {
    ({ folder, remove } = newFolder());
    file = join(folder, 'agent.db');
  });
  afterEach(() => remove());

  it('looks into a ledger that another process works with, and tells by its exit code', async () => {
    let now = begun;
    const ledger = sqliteLedger(file, { now: () => (now += 10) });
    await writeScene(ledger);
    // Not by its bytes: to read them would end the locks that this process has on it.
    const { mtimeMs, size } = statSync(file);
    const [listed, shown, twice, once] = await Promise.all([
      effectLedger('list', file),
      effectLedger('show', file, '007', '--json'),
      effectLedger('find', file, '--tool', 'refund'),
      effectLedger('find', file, '--tool', 'send_mail'),
    ]);
    expect(listed).toMatchObject({ code: 0, errors: '' });
    expect(listed.output).toContain('run_2222222222  007     complete  1 succeeded');
    // Not on a terminal, so without colors.
    expect(listed.output).not.toContain('\u001b');
    expect(shown).toMatchObject({ code: 0, errors: '' });
    expect(JSON.parse(shown.output).ledger).toEqual({ file, id: ledger.id });
    expect(twice).toMatchObject({ code: 1, errors: '' });
    expect(twice.output).toContain('refund: DONE 2 TIMES');
    expect(once).toMatchObject({ code: 0, errors: '' });
    expect(statSync(file)).toMatchObject({ mtimeMs, size });
    expect(await ledger.find({ tenant: 'acme', intentId: 'i1' })).toHaveLength(3);
    await ledger.close();
  }, 60_000);

  it('says what is wrong, and makes no file', async () => {
    const [missing, misuse] = await Promise.all([
      effectLedger('list', file),
      effectLedger('lst', file),
    ]);
    expect(missing).toEqual({
      code: 2,
      output: '',
      errors: `error: ${file}: there is no such file\nfix:   give the path that sqliteLedger was given\n`,
    });
    expect(existsSync(file)).toBe(false);
    expect(misuse).toMatchObject({ code: 2, output: '' });
    expect(misuse.errors).toContain('there is no command lst');
  }, 60_000);

  it('explains itself', async () => {
    const [whole, ofFind, version] = await Promise.all([
      effectLedger('--help'),
      effectLedger('find', '--help'),
      effectLedger('--version'),
    ]);
    expect(whole.code).toBe(0);
    for (const text of ['list <file>', 'show <file> <what>', 'find <file>', 'Exit code']) {
      expect(whole.output).toContain(text);
    }
    expect(ofFind).toMatchObject({ code: 0 });
    expect(ofFind.output).toContain('--arg <name=value>');
    expect(version).toMatchObject({ code: 0 });
    expect(version.output).toMatch(/^effect-ledger\/\d+\.\d+\.\d+ /);
  }, 60_000);
});
