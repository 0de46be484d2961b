/** How many ends between two beginnings are told apart; more of them than any process has open. */
const endsBetween = 2 ** 20;

/**
 * The ledger sequence. Effects are numbered as they begin: 1, 2, 3. What ends before the next one begins
 * gets a number between theirs. So it is one order of all beginnings and ends, and costs no counter: the
 * numbers of the beginnings are those of the rows. Ends that two processes write between the same two
 * beginnings were side by side, and stand in either order.
 */
export interface LedgerSequence {
  nextBeginning(): number;
  nextEnd(): number;
}

/** @param lastBegun the highest number of an effect, 0 before the first */
export function ledgerSequence(lastBegun: () => number): LedgerSequence {
  let after = 0;
  let ends = 0;
  return {
    nextBeginning: () => lastBegun() + 1,
    nextEnd() {
      const last = lastBegun();
      if (last !== after) {
        after = last;
        ends = 0;
      }
      ends = Math.min(ends + 1, endsBetween - 1);
      return last + ends / endsBetween;
    },
  };
}
