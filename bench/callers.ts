/** The ways to call the read: bare, through the guard, and through the peer's policies. */
import { createGuard, fail, type Guard } from '@holdfast/call-guard';
import { memoryLedger } from '@holdfast/effect-ledger';
import {
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  handleWhen,
  isBrokenCircuitError,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import {
  orderSearch,
  search,
  searchArguments,
  searchListening,
  TIMEOUT_MS,
} from './order-search.js';
import type { Work } from './paired-rounds.js';

/** A long run. */
const CALLS_OF_A_RUN = 1_000;
const AN_HOUR_MS = 3_600_000;

type OrderGuard = Guard<typeof orderSearch>;
type Execute = Parameters<OrderGuard['call']>[1];

/** Ids and arguments that never come again: equal calls would be a loop. */
let turn = 0;

export const bare: Work = async (count) => {
  for (let made = 0; made < count; made += 1) {
    turn += 1;
    await search(searchArguments(turn));
  }
};

/** Calls through a guard that somebody has who sets nothing, in runs. */
export function guarded(): Work {
  return inRuns(createGuard({ registry: orderSearch, ledger: memoryLedger() }), search, true);
}

export function guardedListening(): Work {
  const guard = createGuard({ registry: orderSearch, ledger: memoryLedger() });
  return inRuns(guard, (args, call) => searchListening(args, call.signal), true);
}

/** Calls while the breaker is open. */
export async function guardedRefused(): Promise<Work> {
  const guard = createGuard({ registry: orderSearch, ledger: memoryLedger() });
  await guard.call({ tool: 'search_orders', args: searchArguments(0), callId: 'opens it' }, () =>
    fail({ kind: 'rate_limited', effect: 'none', retryAfterMs: AN_HOUR_MS }),
  );
  return inRuns(guard, search, false);
}

function inRuns(guard: OrderGuard, execute: Execute, succeeds: boolean): Work {
  return async (count) => {
    for (let left = count; left > 0; left -= CALLS_OF_A_RUN) {
      await guard.inRun({}, async () => {
        for (let made = 0; made < Math.min(left, CALLS_OF_A_RUN); made += 1) {
          turn += 1;
          const args = searchArguments(turn);
          // The id comes with the call: to make one is no work of the guard's.
          const request = { tool: 'search_orders', args, callId: args.customer } as const;
          const answer = await guard.call(request, execute);
          if (answer.ok !== succeeds)
            throw new Error(`not what is measured: ${JSON.stringify(answer)}`);
        }
      });
    }
  };
}

export function cockatiel(): Work {
  const policy = policies();
  return async (count) => {
    for (let made = 0; made < count; made += 1) {
      turn += 1;
      const args = searchArguments(turn);
      await policy.execute(() => search(args));
    }
  };
}

export function cockatielListening(): Work {
  const policy = policies();
  return async (count) => {
    for (let made = 0; made < count; made += 1) {
      turn += 1;
      const args = searchArguments(turn);
      await policy.execute(({ signal }) => searchListening(args, signal));
    }
  };
}

export async function cockatielRefused(): Promise<Work> {
  const policy = policies();
  const refusal = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await policy.execute(work);
      return false;
    } catch (error) {
      return isBrokenCircuitError(error);
    }
  };
  while (!(await refusal(() => Promise.reject(new Error('it is away')))));
  return async (count) => {
    for (let made = 0; made < count; made += 1) {
      turn += 1;
      const args = searchArguments(turn);
      if (!(await refusal(() => search(args)))) throw new Error('it is not open');
    }
  };
}

/** What its documentation puts together, with a timeout that does not need the tool's help, as ours. */
function policies() {
  return wrap(
    retry(
      handleWhen((error) => !isBrokenCircuitError(error)),
      { maxAttempts: 2, backoff: new ExponentialBackoff({ initialDelay: 1, maxDelay: 2 }) },
    ),
    circuitBreaker(handleAll, {
      halfOpenAfter: AN_HOUR_MS,
      breaker: new ConsecutiveBreaker(5),
    }),
    timeout(TIMEOUT_MS, TimeoutStrategy.Aggressive),
    bulkhead(8),
  );
}
