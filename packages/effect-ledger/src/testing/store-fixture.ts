import { afterEach, beforeEach, expect } from 'vitest';
import type { Claim, LedgerStore } from '../store.js';
import { type Worker, worker } from './worker.js';

/** A new ledger, and another handle on it as another process would have. */
export type OpenLedgers = (now: () => number) => {
  readonly ledger: LedgerStore;
  readonly second: LedgerStore;
  readonly remove: () => void;
};

export interface Stage {
  ledger: LedgerStore;
  second: LedgerStore;
  /** Two invocations of the same run, each on a handle of its own. */
  ada: Worker;
  bob: Worker;
  clock: { now: number };
}

/** A new ledger for each test, by a clock that stands still until it is moved. */
export function stage(open: OpenLedgers): Stage {
  const at = {} as Stage;
  let remove = () => {};
  beforeEach(() => {
    const clock = { now: 1_700_000_000_000 };
    const opened = open(() => clock.now);
    remove = opened.remove;
    Object.assign(at, {
      ledger: opened.ledger,
      second: opened.second,
      ada: worker(opened.ledger, 'ada'),
      bob: worker(opened.second, 'bob'),
      clock,
    });
  });
  afterEach(async () => {
    await at.second.close();
    await at.ledger.close();
    remove();
  });
  return at;
}

/** The claim, if it found this; the test fails otherwise. */
export function found<F extends Claim['found']>(
  claim: Claim,
  what: F,
): Extract<Claim, { found: F }> {
  expect(claim.found).toBe(what);
  return claim as Extract<Claim, { found: F }>;
}
