import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { neverHeld } from '../lease.js';
import type { LedgerStore } from '../store.js';
import {
  type CountingDatabase,
  countingDatabase,
  sqliteError,
} from '../testing/counting-database.js';
import { drivers, newFile } from '../testing/sqlite-file.js';
import { found } from '../testing/store-fixture.js';
import { failed, leaseMs, succeeded, unknown, wish, worker } from '../testing/worker.js';
import type { OpenedDatabase } from './driver.js';
import { LedgerMemory } from './ledger-memory.js';
import { sqliteLedger } from './sqlite-ledger.js';

for (const driver of drivers) {
  describe.skipIf(driver.open === undefined)(`what a ledger on ${driver.name} remembers`, () => {
    let handles: readonly [OpenedDatabase, OpenedDatabase];
    let database: CountingDatabase;
    let clock: { now: number };
    let remove: () => void;
    /** On the first handle, or on another connection. */
    const ledgerOn = (handle: OpenedDatabase | CountingDatabase): LedgerStore =>
      sqliteLedger(handle, { now: () => clock.now });

    beforeEach(() => {
      ({ handles, remove } = newFile(driver));
      database = countingDatabase(handles[0]);
      clock = { now: 1_700_000_000_000 };
    });
    afterEach(() => remove());

    it('is not looked up: an effect of a run that it works on takes eleven statements', async () => {
      const ada = worker(ledgerOn(database), 'ada');
      await ada.doing(wish({ place: {} }), succeeded());
      const before = database.executed().length;
      await ada.doing(wish({ place: {}, ordinal: 1 }), succeeded());
      const starts = database
        .executed()
        .slice(before)
        .map((sql) => /^\w+( \w+)?/.exec(sql)?.[0]);
      expect(starts).toEqual([
        ...['BEGIN IMMEDIATE', 'PRAGMA data_version', 'SELECT total_changes'],
        ...['SELECT', 'INSERT INTO', 'COMMIT'],
        ...['BEGIN IMMEDIATE', 'PRAGMA data_version', 'SELECT total_changes'],
        ...['UPDATE effect', 'COMMIT'],
      ]);
    });

    it('is what another connection has made of a row that was begun here', async () => {
      const [mine, theirs] = [ledgerOn(database), ledgerOn(handles[1])];
      const ada = worker(mine, 'ada');
      const { effect } = found(await ada.claim(wish()), 'nothing');
      const done = await theirs.submitEvidence(effect.key, { id: ada.attemptId() }, succeeded());
      expect(await ada.move(effect, failed())).toEqual({
        refused: 'version',
        effect: 'moved' in done && done.moved,
      });
    });

    it('is the lease that another connection has taken, and the number that it has given', async () => {
      const ada = worker(ledgerOn(database), 'ada');
      const bob = worker(ledgerOn(handles[1]), 'bob');
      await ada.doing(wish(), succeeded());
      clock.now += leaseMs;
      found(await bob.claim(wish({ ordinal: 1 })), 'nothing');
      found(await ada.claim(wish({ ordinal: 2 })), 'stale-epoch');
      const next = await worker(ledgerOn(database), 'eve').claim(
        wish({ runId: 'run-2', ordinal: 2 }),
      );
      expect(found(next, 'nothing').effect.startSeq).toBe(3);
    });

    it.each([
      ['shares its handle', (handle: CountingDatabase) => handle],
      ['has wrapped its handle', countingDatabase],
    ])('is nothing of what a ledger has changed that %s', async (_, shared) => {
      const other = ledgerOn(shared(database));
      const ada = worker(ledgerOn(database), 'ada');
      const bob = worker(other, 'bob');
      const { effect } = found(await ada.claim(wish()), 'nothing');
      await other.submitEvidence(effect.key, { id: ada.attemptId() }, unknown());
      expect(await ada.move(effect, succeeded())).toMatchObject({ refused: 'version' });
      found(await bob.claim(wish({ ordinal: 1 })), 'nothing');
      found(await ada.claim(wish({ ordinal: 2 })), 'stale-epoch');
      const next = await ada.claim(wish({ runId: 'run-2', ordinal: 2 }));
      expect(found(next, 'nothing').effect.startSeq).toBe(3);
    });

    it('is nothing of what the owner of the handle has changed', async () => {
      const ada = worker(ledgerOn(database), 'ada');
      const { effect } = found(await ada.claim(wish()), 'nothing');
      database.exec('DELETE FROM effect');
      expect(await ada.move(effect, succeeded())).toEqual({ refused: 'missing' });
    });

    it('is nothing of what was rolled back', async () => {
      const ledger = ledgerOn(database);
      const ada = worker(ledger, 'ada');
      database.fail('COMMIT', sqliteError('SQLITE_IOERR_FSYNC'), 1);
      await expect(ada.claim(wish())).rejects.toMatchObject({ code: 'failed' });
      // Neither its lease, by which bob would be held, nor its row, nor its number.
      const claim = found(await worker(ledger, 'bob').claim(wish()), 'nothing');
      expect(claim).toMatchObject({ epoch: 1, effect: { startSeq: 1 } });
      database.fail('COMMIT', sqliteError('SQLITE_IOERR_FSYNC'), 1);
      const bob = worker(ledger, 'bob');
      await expect(bob.move(claim.effect, succeeded())).rejects.toMatchObject({ code: 'failed' });
      expect(await bob.move(claim.effect, succeeded())).toMatchObject({ moved: { version: 2 } });
    });

    it('is nothing of a write that was taken back from a group', async () => {
      const ledger = ledgerOn(database);
      database.exec(`CREATE TRIGGER refuse AFTER INSERT ON effect WHEN NEW.tool = 'refused'
        BEGIN SELECT RAISE(ABORT, 'told to fail'); END`);
      const outcomes = await Promise.allSettled([
        worker(ledger, 'ada').claim(wish({ tool: 'refused' })),
        worker(ledger, 'bob').claim(wish({ ordinal: 1 })),
      ]);
      // bob's claim is held by no lease of ada's, and is the first.
      expect(outcomes).toMatchObject([
        { status: 'rejected' },
        { status: 'fulfilled', value: { epoch: 1, effect: { startSeq: 1 } } },
      ]);
    });
  });
}

it('remembers the leases of the last runs, and is bounded', () => {
  const memory = new LedgerMemory();
  const runs = Array.from({ length: 1000 }, (_, i) => `run ${i}`);
  for (const run of runs) memory.noteLease(run, neverHeld);
  expect(memory.lease('run 999')).toBe(neverHeld);
  expect(runs.filter((run) => memory.lease(run) !== undefined).length).toBeLessThanOrEqual(256);
});
