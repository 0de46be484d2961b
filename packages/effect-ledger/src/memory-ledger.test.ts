import { memoryLedger } from './memory-ledger.js';
import { storeContract } from './testing/store-contract.js';

storeContract('the memory ledger', (now) => {
  const ledger = memoryLedger({ now });
  return { ledger, second: ledger, remove: () => {} };
});
