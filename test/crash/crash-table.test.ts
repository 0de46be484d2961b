import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forkProgram } from '../../examples/order-desk/services/fork-program.js';
import { brokenBounds } from './bounds.js';
import { type Cell, nameOfCell, shortForm } from './cells.js';
import { type CrashLab, openCrashLab } from './crash-lab.js';
import { type CrashTable, runTable } from './run-table.js';

let lab: CrashLab;
let table: CrashTable;

beforeAll(async () => {
  lab = await openCrashLab();
  table = await runTable(shortForm, lab, () => {});
}, 300_000);
afterAll(() => lab?.close());

describe('a process is killed, and another one goes on', () => {
  it.each(shortForm.map((cell) => [`${caseOf(cell)}: ${nameOfCell(cell)}`, cell] as const))(
    '%s',
    (_, cell) => {
      const counted = table.cells.find((other) => nameOfCell(other) === nameOfCell(cell));
      expect(counted).toEqual({ ...cell, ...rightIn(cell), resentUnknown: 0 });
    },
  );

  it('within all bounds of the table', () => {
    expect(brokenBounds(table)).toEqual([]);
  });

  it('and twice done where the write-ahead is taken out: the table can see a duplicate', () => {
    expect(table.mutant).toEqual({ maxEffectsPerKey: 2 });
  });
});

describe('crash-table, the program', () => {
  it('prints one JSON document of the cells that --only names', async () => {
    const cell = {
      agent: 'StateGraph',
      class: 'undeclared',
      durability: 'async',
      saver: 'fast',
      point: 'during-effect',
    } as const;
    const only = Object.entries(cell).map(([name, value]) => `${name}=${value}`);
    const ended = await runProgram('--json', '--only', only.join());
    expect(JSON.parse(ended.stdout)).toEqual({
      cells: [{ ...cell, ...rightIn(cell), resentUnknown: 0 }],
      mutant: { maxEffectsPerKey: 2 },
      kills: 6,
      seconds: expect.any(Number),
    });
    expect(ended.stderr).toContain('6 of 6 crashes\n');
    expect(ended.exitCode).toBe(0);
  });

  it('says what it can be asked, and what does not fit', async () => {
    const [help, wrong] = await Promise.all([
      runProgram('--help'),
      runProgram('--only', 'point=lunch'),
    ]);
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain('before-claim, after-claim, during-effect');
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain('point “lunch” is none of before-claim');
  });
});

/** What has to become of a cell. A status that is not complete says which outcome is unknown. */
function rightIn(cell: Cell): { plain: number; guarded: number; status: string } {
  const asked = cell.class === 'idempotent-write' || cell.class === 'irreversible+probe';
  switch (cell.point) {
    case 'before-claim':
    case 'after-checkpoint':
      return { plain: 1, guarded: 1, status: 'complete' };
    case 'after-claim':
      // Nothing was sent, but only a server that knows keys may be sent it to make sure.
      return cell.class === 'idempotent-write'
        ? { plain: 1, guarded: 1, status: 'complete' }
        : { plain: 1, guarded: 0, status: 'partial' };
    case 'during-effect':
    case 'after-effect':
      return { plain: 2, guarded: 1, status: asked ? 'complete' : 'partial' };
    case 'after-settle':
      return { plain: 2, guarded: 1, status: 'complete' };
  }
}

/** The public case that a cell shows. */
function caseOf({ durability, saver, point }: Cell): string {
  if (durability === 'async' && saver === 'slow') return 'DU-02';
  return point === 'after-settle' || point === 'after-checkpoint' ? 'LG-02' : 'LG-03';
}

async function runProgram(...args: string[]) {
  const program = new URL('crash-table.ts', import.meta.url);
  const child = forkProgram(program, args, ['ignore', 'pipe', 'pipe', 'ipc']);
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new TypeError('no pipes');
  const [out, err] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { stdout: out, stderr: err, exitCode: child.exitCode };
}
