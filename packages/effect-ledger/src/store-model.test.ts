import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryLedger } from './memory-ledger.js';
import type { OpenedDatabase } from './sqlite/driver.js';
import type { SqliteDatabase } from './sqlite/sqlite-database.js';
import { sqliteLedger } from './sqlite/sqlite-ledger.js';
import type { LedgerStore } from './store.js';
import { countingDatabase } from './testing/counting-database.js';
import { type Command, type Course, command, seen } from './testing/ledger-commands.js';
import { drivers, newFolder } from './testing/sqlite-file.js';
import { succeeded, wish, worker } from './testing/worker.js';

type Turn = readonly [ledger: number, run: Command];

/** As many effects as are done before the first command: runs are listed by 64 of them. */
const done = fc.constantFrom(0, 55, 62);

async function doEffects(ledger: LedgerStore, count: number): Promise<void> {
  const ada = worker(ledger, 'ada');
  const wishes = Array.from({ length: count }, (_, i) =>
    wish({ identity: `before ${i}`, runId: `run-${1 + (i % 2)}` }),
  );
  await Promise.all(wishes.map((one) => ada.doing(one, succeeded())));
}

/**
 * Gives each command to the model and to one of the ledgers, and compares what they answer.
 *
 * @param handlesOf what the ledgers are made of; opens connections to one file
 */
async function answersAlike(
  { effects, turns }: { readonly effects: number; readonly turns: readonly Turn[] },
  open: (file: string) => OpenedDatabase,
  handlesOf: (connect: () => SqliteDatabase) => readonly SqliteDatabase[],
): Promise<void> {
  const course: Course = { keys: [], versions: new Map(), attempts: 0, now: 1000 };
  const now = () => course.now;
  const { folder, remove } = newFolder();
  const opened: OpenedDatabase[] = [];
  const handles = handlesOf(() => {
    const handle = open(join(folder, 'ledger.db'));
    opened.push(handle);
    return handle;
  });
  const model = memoryLedger({ now });
  const ledgers = handles.map((handle) => sqliteLedger(handle, { now }));
  const comparable = ledgers.length === 1 ? (value: unknown) => value : withoutOrderOfEnds;
  try {
    await doEffects(model, effects);
    if (ledgers[0] !== undefined) await doEffects(ledgers[0], effects);
    for (const [n, run] of turns) {
      const ledger = ledgers[n % ledgers.length];
      if (ledger === undefined) throw new Error('no ledger was made');
      const before = { attempts: course.attempts, now: course.now };
      const expected = await run(model, course);
      Object.assign(course, before);
      expect(comparable(await run(ledger, course))).toEqual(comparable(expected));
      for (const effect of (await seen(model)).runs.flat()) {
        if (!course.versions.has(effect.key)) course.keys.push(effect.key);
        course.versions.set(effect.key, effect.version);
      }
    }
    const expected = comparable(await seen(model));
    for (const ledger of ledgers) expect(comparable(await seen(ledger))).toEqual(expected);
  } finally {
    for (const ledger of ledgers) await ledger.close();
    for (const handle of opened) handle.close();
    remove();
  }
}

/** Ends that two ledgers write between the same two beginnings stand in either order. */
function withoutOrderOfEnds(value: unknown): unknown {
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutOrderOfEnds);
  return Object.fromEntries(
    Object.entries(value).map(([field, of]) => [
      field,
      field === 'endSeq' && typeof of === 'number' ? Math.floor(of) : withoutOrderOfEnds(of),
    ]),
  );
}

const shapes = [
  ['one ledger', (connect: () => SqliteDatabase) => [connect()]],
  [
    'several ledgers, on connections of their own, on a shared one, and on a wrapped one',
    (connect: () => SqliteDatabase) => {
      const shared = connect();
      return [shared, shared, countingDatabase(shared), connect()];
    },
  ],
] as const;

for (const { name, open } of drivers) {
  describe.skipIf(open === undefined)(`SQLite on ${name}, beside memory as its model`, () => {
    it.each(shapes)(
      'answers every sequence of commands alike, and ends up alike: %s',
      async (_, handlesOf) => {
        if (open === undefined) throw new Error(`${name} does not work here`);
        const turn: fc.Arbitrary<Turn> = fc.tuple(fc.nat(3), command);
        await fc.assert(
          fc.asyncProperty(
            fc.record({
              effects: done,
              turns: fc.array(turn, { size: 'medium', maxLength: 40 }),
            }),
            (course) => answersAlike(course, open, handlesOf),
          ),
          { seed: 31, numRuns: 60 },
        );
      },
      60_000,
    );
  });
}
