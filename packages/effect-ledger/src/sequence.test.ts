import { describe, expect, it } from 'vitest';
import { ledgerSequence } from './sequence.js';

describe('the ledger sequence', () => {
  it('numbers beginnings one by one', () => {
    let begun = 0;
    const sequence = ledgerSequence(() => begun);
    expect(sequence.nextBeginning()).toBe(1);
    begun = 41;
    expect(sequence.nextBeginning()).toBe(42);
  });

  it('puts ends between two beginnings, in their own order', () => {
    let begun = 7;
    const sequence = ledgerSequence(() => begun);
    const numbers = [7, sequence.nextEnd(), sequence.nextEnd(), sequence.nextEnd()];
    begun = 8;
    numbers.push(8, sequence.nextEnd(), 9);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it('stays below the next beginning however many end before it, in ledgers of any size', () => {
    for (const begun of [0, 2 ** 31]) {
      const sequence = ledgerSequence(() => begun);
      let last = begun;
      for (let i = 1; i < 2 ** 20; i++) {
        const end = sequence.nextEnd();
        if (end <= last) throw new Error(`end ${i} after ${begun} came before the one before it`);
        last = end;
      }
      expect(sequence.nextEnd()).toBe(last);
      expect(last).toBeLessThan(begun + 1);
    }
  });
});
