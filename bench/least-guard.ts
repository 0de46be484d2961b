import { AsyncLocalStorage } from 'node:async_hooks';
import { search, searchArguments, searchOrders } from './order-search.js';
import type { Work } from './paired-rounds.js';

/**
 * What no gate around this tool can leave out: arguments and result checked by zod, a scope that the tool's
 * own code finds, and an answer that could come without the tool's help. No breaker, no loop guard, no
 * events, no records, and a time limit that nobody sets: where the floor is.
 */
export function leastGuard(): Work {
  const scopes = new AsyncLocalStorage<{ readonly callId: string }>();
  let turn = 0;
  const call = (callId: string, given: unknown): Promise<unknown> => {
    const args = searchOrders.input.parse(given);
    return new Promise<unknown>((resolve, reject) => {
      scopes.run({ callId }, () => search(args)).then(resolve, reject);
    }).then((found) => {
      searchOrders.output?.parse(found);
      return { ok: true, result: found };
    });
  };
  return (count) =>
    scopes.run({ callId: 'the run' }, async () => {
      for (let made = 0; made < count; made += 1) {
        turn += 1;
        await call(`call ${turn}`, searchArguments(turn));
      }
    });
}
