import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerStore } from '../store.js';
import { drivers, newFile } from '../testing/sqlite-file.js';
import { succeeded, wish, worker } from '../testing/worker.js';
import type { OpenedDatabase } from './driver.js';
import { sqliteLedger } from './sqlite-ledger.js';

for (const driver of drivers) {
  describe.skipIf(driver.open === undefined)(`the effects of a run on ${driver.name}`, () => {
    let database: OpenedDatabase;
    let ledger: LedgerStore;
    let remove: () => void;

    beforeEach(() => {
      const file = newFile(driver);
      [database] = file.handles;
      ({ remove } = file);
      ledger = sqliteLedger(database, { now: () => 1000 });
    });
    afterEach(() => remove());

    async function doEffects(from: number, to: number): Promise<void> {
      const ada = worker(ledger, 'ada');
      for (let ordinal = from; ordinal < to; ordinal++) {
        await ada.doing(wish({ ordinal }), succeeded());
      }
    }

    it.each([
      ['the newest', 60],
      ['all', 0],
    ])('are each found once when %s were deleted', async (_, left) => {
      await doEffects(0, 70);
      database.exec(`DELETE FROM effect WHERE seq > ${left}`);
      const numbers = async () =>
        (await ledger.find({ runId: 'run-1' })).map(({ startSeq }) => startSeq);
      const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
      expect(await numbers()).toEqual(upTo(left));
      await doEffects(70, 75);
      expect(await numbers()).toEqual(upTo(left + 5));
    });
  });
}
