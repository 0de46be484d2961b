import { describe, expect, it } from 'vitest';
import { someAtATime } from './some-at-a-time.js';

describe('some at a time', () => {
  it('are at work, never more, and the results keep the order of the items', async () => {
    let atWork = 0;
    let most = 0;
    const done = await someAtATime(2, [3, 1, 2, 4], async (turns) => {
      atWork += 1;
      most = Math.max(most, atWork);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      atWork -= 1;
      return turns * 10;
    });
    expect(done).toEqual([30, 10, 20, 40]);
    expect(most).toBe(2);
  });

  it('end when one fails: those at work finish, no other begins', async () => {
    const log: string[] = [];
    const all = someAtATime(2, ['fails', 'works', 'waits'], async (item) => {
      log.push(item);
      if (item === 'fails') throw new Error('broken');
      for (let turn = 0; turn < 9; turn += 1) await Promise.resolve();
      log.push(`${item} to its end`);
    });
    await expect(all).rejects.toThrow('broken');
    expect(log).toEqual(['fails', 'works', 'works to its end']);
  });
});
