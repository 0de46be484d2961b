/**
 * Works on all items, so many at once, each begun in its turn.
 *
 * @returns the results in the order of the items.
 * @throws what the first failing item threw, once those at work have ended; no further one is begun.
 */
export async function someAtATime<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let failed = false;

  async function workOn(): Promise<void> {
    for (const [index, item] of waiting) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }

  const lanes = await Promise.allSettled(Array.from({ length: most }, workOn));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  return results;
}
