import {
  bare,
  cockatiel,
  cockatielListening,
  cockatielRefused,
  guarded,
  guardedListening,
  guardedRefused,
} from './callers.js';
import { leastGuard } from './least-guard.js';
import { medianOf, pairedRounds } from './paired-rounds.js';
import { type BenchResult, type Bound, resultOf } from './result.js';

const COCKATIEL = 'cockatiel wrap(retry, breaker, timeout, bulkhead)';
const unit = 'µs';

/**
 * A guarded read in a run of a guard with its defaults, its arguments and its result checked, beside
 * cockatiel's policies around the same tool. What is compared is what each adds to the bare call.
 */
export async function guardedRead(scale: number): Promise<readonly BenchResult[]> {
  const measure = { rounds: 20 * scale, count: 250, warmUp: 4 * scale };
  const rounds = await pairedRounds(
    { bare, ours: guarded(), peer: cockatiel(), least: leastGuard() },
    measure,
  );
  const listening = await pairedRounds(
    { bare, ours: guardedListening(), peer: cockatielListening() },
    measure,
  );
  const refused = await pairedRounds(
    {
      bare,
      ours: await guardedRefused(),
      peer: cockatiel(),
      peerRefused: await cockatielRefused(),
    },
    measure,
  );
  return [
    added('guarded read, added time', rounds, { ratioAtMost: 0.2 }),
    added(
      'the least that a gate adds to it',
      rounds.map(({ least, ...round }) => ({ ...round, ours: least })),
      'none',
    ),
    added('guarded read, added time, its tool listens to the signal', listening, {
      ratioAtMost: 0.6,
    }),
    resultOf(
      {
        name: 'refused call (breaker open), whole time',
        ours: medianOf(refused, ({ ours }) => ours),
        peer: medianOf(refused, (round) => round.peer - round.bare),
        peerName: `what ${COCKATIEL} adds to a call that succeeds`,
        unit,
      },
      { ratioAtMost: 0.15 },
      medianOf(refused, (round) => round.ours / (round.peer - round.bare)),
    ),
    resultOf(
      {
        name: 'refused call beside a refused one',
        ours: medianOf(refused, ({ ours }) => ours),
        peer: medianOf(refused, ({ peerRefused }) => peerRefused),
        peerName: `${COCKATIEL}, refused`,
        unit,
      },
      'none',
      medianOf(refused, (round) => round.ours / round.peerRefused),
    ),
    resultOf(
      {
        name: 'guarded read, whole time',
        ours: medianOf(rounds, ({ ours }) => ours),
        peer: medianOf(rounds, (round) => round.bare),
        peerName: 'the bare tool',
        unit,
      },
      'none',
      medianOf(rounds, (round) => round.ours / round.bare),
    ),
  ];
}

function added(
  name: string,
  rounds: readonly { readonly bare: number; readonly ours: number; readonly peer: number }[],
  bound: Bound,
): BenchResult {
  return resultOf(
    {
      name,
      ours: medianOf(rounds, (round) => round.ours - round.bare),
      peer: medianOf(rounds, (round) => round.peer - round.bare),
      peerName: COCKATIEL,
      unit,
    },
    bound,
    medianOf(rounds, (round) => (round.ours - round.bare) / (round.peer - round.bare)),
  );
}
