import { LedgerError, type LedgerStore } from '@holdfast/effect-ledger';

/** A ledger whose settling writes fail so many times, as when its store is down for a while. */
export function failsToSettle(
  ledger: LedgerStore,
  times: number,
): LedgerStore & { failed: number } {
  const failing = {
    ...ledger,
    failed: 0,
    move: (async (...given) => {
      if (given[2].to !== 'attempting' && failing.failed < times) {
        failing.failed += 1;
        throw new LedgerError('busy', 'the store is down');
      }
      return ledger.move(...given);
    }) satisfies LedgerStore['move'] as LedgerStore['move'],
  };
  return failing;
}

type Scheduling = <A extends unknown[], R>(
  work: (...given: A) => Promise<R>,
) => (...given: A) => Promise<R>;

/** A ledger each of whose writes waits for its turn. */
export function inTurns(ledger: LedgerStore, inTurn: Scheduling): LedgerStore {
  return {
    ...ledger,
    claim: inTurn(ledger.claim),
    move: inTurn(ledger.move),
    submitEvidence: inTurn(ledger.submitEvidence),
  };
}
