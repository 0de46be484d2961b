import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.js';
import { RetryBudget, RetryBudgets } from './budget.js';

function budget(percent = 20, floor = 10) {
  const clock = manualClock();
  return { clock, budget: new RetryBudget({ percent, floor, clock }) };
}
function withdrawn(from: RetryBudget): number {
  let taken = 0;
  while (from.withdraw()) taken += 1;
  return taken;
}

describe('the retry budget', () => {
  it('RS-17: allows a share of the first tries and the floor', () => {
    const { budget: outage } = budget();
    for (let i = 0; i < 1_000; i += 1) outage.deposit();
    expect(withdrawn(outage)).toBe(210);
    expect(outage.withdraw()).toBe(false);
  });

  it('RS-17: is full again once the outage is over', async () => {
    const { clock, budget: one } = budget();
    for (let i = 0; i < 1_000; i += 1) one.deposit();
    withdrawn(one);
    await clock.advance(10_000);
    for (let i = 0; i < 1_000; i += 1) one.deposit();
    expect(one.left()).toBe(210);
  });

  it('lets a quiet system retry, and forgets first tries after ten seconds', async () => {
    const { clock, budget: quiet } = budget();
    expect(quiet.left()).toBe(10);
    for (let i = 0; i < 100; i += 1) quiet.deposit();
    expect(quiet.left()).toBe(30);
    await clock.advance(10_000);
    expect(quiet.left()).toBe(10);
  });

  it('counts first tries and retries for ten seconds, a second more or less, however they come', async () => {
    const { clock, budget: one } = budget(100, 0);
    for (let second = 0; second < 30; second += 1) {
      one.deposit();
      if (second % 2 === 0) one.withdraw();
      const remembered = Math.min(second + 1, 10);
      expect(one.left()).toBe(remembered - Math.ceil(remembered / 2));
      await clock.advance(1_000);
    }
    await clock.advance(8_000);
    expect(one.left()).toBe(1);
    await clock.advance(1_000);
    expect(one.left()).toBe(0);
  });

  it('without a floor allows nothing before five first tries', () => {
    const { budget: strict } = budget(20, 0);
    for (let i = 0; i < 4; i += 1) strict.deposit();
    expect(strict.withdraw()).toBe(false);
    strict.deposit();
    expect(strict.withdraw()).toBe(true);
  });

  it('is one for each resource group', () => {
    const budgets = new RetryBudgets({ percent: 0, floor: 1, clock: manualClock() });
    expect(budgets.of('a').withdraw()).toBe(true);
    expect(budgets.of('a').withdraw()).toBe(false);
    expect(budgets.of('b').withdraw()).toBe(true);
  });
});
