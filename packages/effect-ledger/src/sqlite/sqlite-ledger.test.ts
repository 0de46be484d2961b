import { describe } from 'vitest';
import { drivers, newFile } from '../testing/sqlite-file.js';
import { storeContract } from '../testing/store-contract.js';
import { sqliteLedger } from './sqlite-ledger.js';

for (const driver of drivers) {
  describe.skipIf(driver.open === undefined)(driver.name, () => {
    storeContract('the SQLite ledger', (now) => {
      const { handles, remove } = newFile(driver);
      return {
        ledger: sqliteLedger(handles[0], { now }),
        second: sqliteLedger(handles[1], { now }),
        remove,
      };
    });
  });
}
