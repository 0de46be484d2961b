import { join } from 'node:path';
import { describe } from 'vitest';
import { drivers, newFolder } from '../testing/sqlite-file.js';
import { storeContract } from '../testing/store-contract.js';
import { sqliteLedger } from './sqlite-ledger.js';

for (const { name, open } of drivers) {
  describe.skipIf(open === undefined)(name, () => {
    storeContract('the SQLite ledger', (now) => {
      if (open === undefined) throw new Error(`${name} does not work here`);
      const { folder, remove } = newFolder();
      const file = join(folder, 'ledger.db');
      const handles = [open(file), open(file)] as const;
      return {
        ledger: sqliteLedger(handles[0], { now }),
        second: sqliteLedger(handles[1], { now }),
        remove() {
          for (const handle of handles) handle.close();
          remove();
        },
      };
    });
  });
}
