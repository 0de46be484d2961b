/** One figure: ours beside a peer's, measured in the same run. */
export interface BenchResult {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  readonly unit: string;
  /** Ours over peer. */
  readonly ratio: number;
  /** What the ratio is held to, such as `>= 0.4`. */
  readonly bound: string;
  readonly holds: boolean;
}

export type Bound = { readonly least: number } | { readonly most: number };

export function resultOf(
  figure: Omit<BenchResult, 'ratio' | 'bound' | 'holds'>,
  bound: Bound,
  ratio = figure.ours / figure.peer,
): BenchResult {
  const holds = 'least' in bound ? ratio >= bound.least : ratio <= bound.most;
  return {
    ...figure,
    ratio,
    bound: 'least' in bound ? `>= ${bound.least}` : `<= ${bound.most}`,
    holds,
  };
}

/** The middle one, which a single slow moment of the machine does not move. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new RangeError('there is no median of nothing');
  return middle;
}
