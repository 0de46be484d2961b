import { describe } from 'vitest';
import { claimContract } from './claim-contract.js';
import { consumptionContract } from './consumption-contract.js';
import { decisionContract } from './decision-contract.js';
import { doubtContract } from './doubt-contract.js';
import { evidenceContract } from './evidence-contract.js';
import { generationContract } from './generation-contract.js';
import { leaseContract } from './lease-contract.js';
import { moveContract } from './move-contract.js';
import { raceContract } from './race-contract.js';
import { runContract } from './run-contract.js';
import { stepContract } from './step-contract.js';
import type { OpenLedgers } from './store-fixture.js';

/** The one suite that every store passes. `open` makes a new ledger with two handles on it. */
export function storeContract(name: string, open: OpenLedgers): void {
  describe(`${name} keeps the contract of a ledger store`, () => {
    claimContract(open);
    generationContract(open);
    leaseContract(open);
    moveContract(open);
    evidenceContract(open);
    doubtContract(open);
    raceContract(open);
    runContract(open);
    consumptionContract(open);
    decisionContract(open);
    stepContract(open);
  });
}
