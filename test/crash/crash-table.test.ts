import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forkProgram } from '../../examples/order-desk/services/fork-program.js';
import { type Point, points } from './agent/job.js';
import { brokenBounds } from './bounds.js';
import { type Cell, nameOfCell, shortForm } from './cells.js';
import { type CrashLab, openCrashLab } from './crash-lab.js';
import { promiseOf } from './promise.js';
import { type CrashTable, runTable } from './run-table.js';

const cells = shortForm();
let lab: CrashLab;
let table: CrashTable;

beforeAll(async () => {
  lab = await openCrashLab();
  table = await runTable(cells, 'guarded alone', lab, () => {});
}, 300_000);
afterAll(() => lab?.close());

describe('a process is killed, and another one goes on', () => {
  describe('LG-01: two of them find the thread unfinished at once', () => keepsItsPromise('LG-01'));
  describe('DU-02: the crash lost the thread', () => keepsItsPromise('DU-02'));
  describe('DU-01: the saver writes answer and checkpoint in either order', () =>
    keepsItsPromise('DU-01'));
  describe('LG-02: the outcome is known, the conversation may not have it', () =>
    keepsItsPromise('LG-02'));
  describe('LG-03: the outcome is not known', () => keepsItsPromise('LG-03'));

  it('within all bounds of the table', () => {
    expect(brokenBounds(table)).toEqual([]);
  });

  it('and twice done where the write-ahead is taken out: the table can see a duplicate', () => {
    expect(table.maxEffectsPerKey).toEqual({ guarded: 1, mutant: 2 });
  });
});

describe('crash-table, the program', () => {
  it('prints one JSON document of the cells that --only names', async () => {
    const cell = {
      agent: 'StateGraph with ToolNode',
      calls: 'two at once',
      durability: 'exit',
      saver: 'fast',
      class: 'undeclared',
      next: 'two resume',
      point: 'during-effect',
    } as const;
    const only = Object.entries(cell).map(([name, value]) => `${name}=${value}`);
    const ended = await runProgram('--json', '--only', only.join());
    expect(JSON.parse(ended.stdout)).toEqual({
      cells: [{ ...cell, plain: [3, 3], guarded: [1, 1], resent: 0, status: 'partial', flaws: [] }],
      maxEffectsPerKey: { plain: 3, guarded: 1, mutant: 2 },
      kills: 6,
      seconds: expect.any(Number),
    });
    expect(ended.stderr).toContain('6 of 6 crashes\n');
    expect(ended.exitCode).toBe(0);
  });

  it('says what it can be asked, and what does not fit', async () => {
    const [help, wrong, part] = await Promise.all([
      runProgram('--help'),
      runProgram('--only', 'point=lunch'),
      runProgram('--write', '--only', 'point=after-claim'),
    ]);
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain('before-claim, after-claim, during-effect');
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain('point “lunch” is none of before-claim');
    expect(part.exitCode).toBe(1);
    expect(part.stderr).toContain('the page shows the whole table');
  });
});

function keepsItsPromise(id: ReturnType<typeof caseOf>): void {
  const shown = cells.filter((cell) => caseOf(cell) === id);
  it.each(shown.map((cell) => [nameOfCell(cell), cell] as const))('%s', (name, cell) => {
    const { effects, status } = promiseOf(cell);
    const counted = table.cells.find((other) => nameOfCell(other) === name);
    expect(counted).toEqual({ ...cell, guarded: effects, status, resent: 0, flaws: [] });
  });
}

/** From here on the ledger knows the outcome. */
const settled: readonly Point[] = points.slice(points.indexOf('after-settle'));

/** The public case that a cell shows. */
function caseOf({ durability, saver, next, point }: Cell) {
  if (next === 'two resume') return 'LG-01';
  if (durability === 'exit' || (durability === 'async' && saver === 'slow')) return 'DU-02';
  if (saver === 'slow put' || saver === 'slow putWrites') return 'DU-01';
  return settled.includes(point) ? 'LG-02' : 'LG-03';
}

async function runProgram(...args: string[]) {
  const program = new URL('crash-table.ts', import.meta.url);
  const child = forkProgram(program, args, ['ignore', 'pipe', 'pipe', 'ipc']);
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new TypeError('no pipes');
  const [out, err] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { stdout: out, stderr: err, exitCode: child.exitCode };
}
