import { median } from './result.js';

/** Does the work `count` times. */
export type Work = (count: number) => Promise<void>;

export interface PairedRates {
  /** Times per second; medians over the rounds. */
  readonly ours: number;
  readonly peer: number;
  /** Median of the rounds' own ratios: what a drift of the machine moves least. */
  readonly ratio: number;
}

/** Measures two kinds of work in turn, round by round, after one round that does not count. */
export async function pairedRates(
  ours: Work,
  peer: Work,
  { rounds, count }: { readonly rounds: number; readonly count: number },
): Promise<PairedRates> {
  const measured: { ours: number; peer: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const rates = { ours: await rateOf(ours, count), peer: await rateOf(peer, count) };
    if (round > 0) measured.push(rates);
  }
  return {
    ours: median(measured.map((rates) => rates.ours)),
    peer: median(measured.map((rates) => rates.peer)),
    ratio: median(measured.map((rates) => rates.ours / rates.peer)),
  };
}

async function rateOf(work: Work, count: number): Promise<number> {
  const startedAt = performance.now();
  await work(count);
  return (count * 1_000) / (performance.now() - startedAt);
}
