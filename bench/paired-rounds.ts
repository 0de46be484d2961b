/** Does the work `count` times. */
export type Work = (count: number) => Promise<void>;

/** How long one time of each work took in one round, in microseconds. */
export type Round<N extends string> = Readonly<Record<N, number>>;

/**
 * Measures kinds of work in turn, in short rounds: what else the machine does then hurts all of them
 * alike. Every other round goes backwards, so that none always follows the same one. Rounds that only
 * warm up do not count.
 */
export async function pairedRounds<N extends string>(
  works: Readonly<Record<N, Work>>,
  {
    rounds,
    count,
    warmUp = 1,
    timeOf = meanMicroseconds,
  }: {
    readonly rounds: number;
    readonly count: number;
    readonly warmUp?: number;
    /** What is measured of a round. */
    readonly timeOf?: (work: Work, count: number) => Promise<number>;
  },
): Promise<readonly Round<N>[]> {
  const forth = Object.entries(works) as [N, Work][];
  const back = forth.toReversed();
  const measured: Round<N>[] = [];
  for (let round = -warmUp; round < rounds; round += 1) {
    const times: [N, number][] = [];
    for (const [name, work] of round % 2 === 0 ? forth : back) {
      times.push([name, await timeOf(work, count)]);
    }
    if (round >= 0) measured.push(Object.fromEntries(times) as Round<N>);
  }
  return measured;
}

/** How long one time takes on average. */
async function meanMicroseconds(work: Work, count: number): Promise<number> {
  const startedAt = performance.now();
  await work(count);
  return ((performance.now() - startedAt) * 1_000) / count;
}

/** How long the middle one of all times takes. */
export async function medianMicroseconds(work: Work, count: number): Promise<number> {
  const times: number[] = [];
  for (let made = 0; made < count; made += 1) times.push(await meanMicroseconds(work, 1));
  return medianOf(times, (time) => time);
}

/** The middle of what the rounds give: a single slow moment of the machine does not move it. */
export function medianOf<R>(rounds: readonly R[], figure: (round: R) => number): number {
  const sorted = rounds.map(figure).sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new RangeError('there is no median of nothing');
  return middle;
}
