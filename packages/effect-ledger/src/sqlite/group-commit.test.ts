import { setImmediate } from 'node:timers';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerError } from '../ledger-error.js';
import { isLedgerError } from '../ledger-error.js';
import type { LedgerStore } from '../store.js';
import {
  type CountingDatabase,
  countingDatabase,
  sqliteError,
} from '../testing/counting-database.js';
import { drivers, newFile } from '../testing/sqlite-file.js';
import { found } from '../testing/store-fixture.js';
import { rowOf, succeeded, type Worker, wish, worker } from '../testing/worker.js';
import type { OpenedDatabase } from './driver.js';
import { ledgerError } from './failure.js';
import { groupCommit } from './group-commit.js';
import { LedgerMemory } from './ledger-memory.js';
import { openLedger } from './open-database.js';
import { sqliteLedger, sqliteStore } from './sqlite-ledger.js';
import { preparedStatements } from './statements.js';

const wishes = (count: number) =>
  Array.from({ length: count }, (_, i) => wish({ identity: `wish ${i}` }));
const codeOf = (outcome: PromiseSettledResult<unknown>): LedgerError['code'] | undefined =>
  outcome.status === 'rejected' && isLedgerError(outcome.reason) ? outcome.reason.code : undefined;

for (const driver of drivers) {
  describe.skipIf(driver.open === undefined)(`group commit on ${driver.name}`, () => {
    let handles: [OpenedDatabase, OpenedDatabase];
    let database: CountingDatabase;
    let ledger: LedgerStore;
    let ada: Worker;
    let pauses: number[];
    let whilePaused: () => void;
    let remove: () => void;

    beforeEach(() => {
      ({ handles, remove } = newFile(driver));
      database = countingDatabase(handles[0]);
      const opened = openLedger(database);
      pauses = [];
      whilePaused = () => {};
      ledger = sqliteStore(opened, {
        now: () => 1,
        pause: async (ms) => {
          pauses.push(ms);
          whilePaused();
        },
      });
      ada = worker(ledger, 'ada');
    });
    afterEach(async () => {
      await ledger.close();
      remove();
    });
    const commitsOf = async (work: () => Promise<unknown>) => {
      const before = database.commits();
      await work();
      return database.commits() - before;
    };

    it('commits a lone write after a microtask, before the event loop goes on', async () => {
      let turns = 0;
      const turned = endOfTurn().then(() => turns++);
      const { effect } = found(await ada.claim(wish()), 'nothing');
      await ada.move(effect, succeeded());
      expect({ turns, commits: database.commits() - 1 }).toEqual({ turns: 0, commits: 2 });
      await turned;
    });

    it('waits for no write of an effect that somebody else has moved on', async () => {
      const { effect } = found(await ada.claim(wish()), 'nothing');
      const other = sqliteLedger(handles[1], { now: () => 1 });
      await other.submitEvidence(effect.key, { id: ada.attemptId() }, succeeded());
      expect(await ada.move(effect, succeeded())).toMatchObject({ refused: 'version' });
      let turns = 0;
      const turned = endOfTurn().then(() => turns++);
      found(await ada.claim(wish({ ordinal: 1 })), 'nothing');
      expect(turns).toBe(0);
      await turned;
    });

    it('takes two commits for each of ten effects one after the other', async () => {
      const commits = await commitsOf(async () => {
        for (const one of wishes(10)) await ada.doing(one, succeeded());
      });
      expect(commits).toBe(20);
    });

    it('takes two commits for fifty effects at once', async () => {
      const commits = await commitsOf(() =>
        Promise.all(wishes(50).map((one) => ada.doing(one, succeeded()))),
      );
      expect(commits).toBe(2);
      expect(await ledger.find({ runId: 'run-1' })).toHaveLength(50);
    });

    it('commits answers of parallel calls together that come in in one turn of the event loop', async () => {
      const effects = await Promise.all(
        wishes(3).map(async (one) => found(await ada.claim(one), 'nothing').effect),
      );
      const commits = await commitsOf(async () => {
        // Each is a callback of its own with its own microtasks, as answers from the network are.
        const answers = effects.map(
          (effect) =>
            new Promise((resolve) => {
              setImmediate(() => resolve(ada.move(effect, succeeded())));
            }),
        );
        await Promise.all(answers);
      });
      expect(commits).toBe(1);
    });

    it('takes no commit for reading', async () => {
      await ada.doing(wish(), succeeded());
      const reading = () =>
        Promise.all([ledger.find({ runId: 'run-1' }), ledger.runs({ runId: 'run-1' })]);
      expect(await commitsOf(reading)).toBe(0);
    });

    it('does not let one write that fails spoil the others of its group', async () => {
      const { effect } = found(await ada.claim(wish()), 'nothing');
      database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON effect WHEN NEW.tool = 'refused'
        BEGIN SELECT RAISE(ABORT, 'told to fail'); END`);
      const [one, two, three] = wishes(3);
      if (one === undefined || two === undefined || three === undefined) throw new Error('three');
      const commits = await commitsOf(async () => {
        const outcomes = await Promise.allSettled([
          ada.claim(one),
          ada.claim({ ...two, tool: 'refused' }),
          ada.claim(three),
        ]);
        expect(outcomes.map(codeOf)).toEqual([undefined, 'failed', undefined]);
      });
      expect(commits).toBe(1);
      const rows = await ledger.find({ runId: 'run-1' });
      expect(rows.map((row) => row.startSeq)).toEqual([1, 2, 3]);
      expect(rows[0]).toEqual(effect);
    });

    it('takes back all that a failing write of a group has written', async () => {
      database.exec('CREATE TABLE t (x TEXT)');
      const statements = preparedStatements(database);
      const group = groupCommit(database, {
        statements,
        memory: new LedgerMemory(),
        pause: async () => {},
        atEndOfTurn: setImmediate,
        explain: (error) => ledgerError(error, 'here'),
      });
      const insert = (x: string) => statements.run('INSERT INTO t (x) VALUES (?)', x);
      const outcomes = await Promise.allSettled([
        group.write(() => insert('one'), false),
        group.write(() => {
          insert('two');
          throw new Error('changed its mind');
        }, false),
        group.write(() => insert('three'), false),
      ]);
      expect(outcomes.map(codeOf)).toEqual([undefined, 'failed', undefined]);
      expect(statements.all('SELECT x FROM t')).toMatchObject([{ x: 'one' }, { x: 'three' }]);
    });

    it('rejects every write of a group whose commit fails, and has done none of them', async () => {
      await ada.doing(wish(), succeeded());
      const before = await ledger.find({ runId: 'run-1' });
      database.fail('COMMIT', sqliteError('SQLITE_IOERR_FSYNC'), 1);
      const outcomes = await Promise.allSettled(wishes(3).map((one) => ada.claim(one)));
      expect(outcomes.map(codeOf)).toEqual(['failed', 'failed', 'failed']);
      expect(await ledger.find({ runId: 'run-1' })).toEqual(before);
      found(await ada.claim(wish({ ordinal: 1 })), 'nothing');
    });

    it('lets a result be written again that could not be: three failures, one effect (DU-23)', async () => {
      const { effect } = found(await ada.claim(wish()), 'nothing');
      database.fail('COMMIT', sqliteError('SQLITE_FULL'), 3);
      for (let i = 0; i < 3; i++) {
        const [outcome] = await Promise.allSettled([ada.move(effect, succeeded())]);
        expect(codeOf(outcome)).toBe('full');
        expect(await rowOf(ledger, effect.key)).toEqual(effect);
      }
      expect(await ada.move(effect, succeeded())).toMatchObject({ moved: { version: 2 } });
    });

    it('rejects a whole group when there is no room for it, and has done none of it', async () => {
      const pages = handles[0].prepare('PRAGMA page_count').get() as { page_count: number };
      database.exec(`PRAGMA max_page_count = ${pages.page_count + 4}`);
      const large = wishes(4).map((one) => ({ ...one, frozenArgs: new Uint8Array(8000) }));
      const outcomes = await Promise.allSettled(large.map((one) => ada.claim(one)));
      expect(outcomes.map(codeOf)).toEqual(['full', 'full', 'full', 'full']);
      expect(await ledger.find({ runId: 'run-1' })).toEqual([]);
      found(await ada.claim(wish()), 'nothing');
    });

    it('waits for another program’s lock without blocking, and then writes', async () => {
      const [, other] = handles;
      other.exec('BEGIN IMMEDIATE');
      whilePaused = () => {
        if (pauses.length === 3) other.exec('COMMIT');
      };
      found(await ada.claim(wish()), 'nothing');
      expect(pauses).toEqual([5, 10, 20]);
    });

    it('hinders no other ledger on its handle while it waits', async () => {
      const [, other] = handles;
      const second = sqliteStore(openLedger(database), { now: () => 1, pause: async () => {} });
      let meanwhile: Promise<unknown> | undefined;
      other.exec('BEGIN IMMEDIATE');
      whilePaused = () => {
        other.exec('COMMIT');
        meanwhile = worker(second, 'bob').claim(wish({ runId: 'run-2', ordinal: 1 }));
      };
      found(await ada.claim(wish()), 'nothing');
      expect(await meanwhile).toMatchObject({ found: 'nothing' });
    });

    it('gives up on a lock after about five seconds, and works again when it is free', async () => {
      const [, other] = handles;
      other.exec('BEGIN IMMEDIATE');
      const outcomes = await Promise.allSettled(wishes(2).map((one) => ada.claim(one)));
      expect(outcomes.map(codeOf)).toEqual(['busy', 'busy']);
      expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(4975);
      other.exec('COMMIT');
      found(await ada.claim(wish()), 'nothing');
      expect(await ledger.find({ runId: 'run-1' })).toHaveLength(1);
    });

    it('refuses writes, and nothing else, when the file may only be read', async () => {
      await ada.doing(wish(), succeeded());
      database.exec('PRAGMA query_only = ON');
      const [outcome] = await Promise.allSettled([ada.claim(wish({ ordinal: 1 }))]);
      expect(codeOf(outcome)).toBe('read_only');
      expect(await ledger.find({ runId: 'run-1' })).toHaveLength(1);
    });

    it.each([
      ['table', 'ALTER TABLE effect RENAME TO effect_of_tomorrow', 'newer'],
      // Who only reads the rows does not ask for it.
      ['column', 'ALTER TABLE effect RENAME COLUMN log TO log_of_tomorrow', undefined],
    ])(
      'does nothing any more to a file in which a later version has changed a %s, and says so',
      async (_, change, read) => {
        const { effect } = found(await ada.claim(wish()), 'nothing');
        handles[1].exec(change);
        const outcomes = await Promise.allSettled([
          ada.claim(wish({ ordinal: 1 })),
          ada.move(effect, succeeded()),
          ledger.find({ runId: 'run-1' }),
        ]);
        expect(outcomes.map(codeOf)).toEqual(['newer', 'newer', read]);
      },
    );

    it('says that it is closed when its owner has closed the handle', async () => {
      handles[0].close();
      const outcomes = await Promise.allSettled([ada.claim(wish()), ledger.find({ runId: 'x' })]);
      expect(outcomes.map(codeOf)).toEqual(['closed', 'closed']);
      handles.shift();
    });
  });
}
