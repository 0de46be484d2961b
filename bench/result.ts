/** One figure: ours beside a peer's, measured in the same run. */
export interface BenchResult {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  readonly unit: string;
  /** Ours over peer. */
  readonly ratio: number;
  /** What is held to what, such as `ratio <= 0.2`, or `none` for a figure that only informs. */
  readonly bound: string;
  /** Whether the bound is kept. */
  readonly ok: boolean;
}

/** What a figure is held to; `ours` is in its own unit. */
export type Bound =
  | { readonly ratioAtLeast: number }
  | { readonly ratioAtMost: number }
  | { readonly oursBelow: number }
  | 'none';

/** @param ratio where it is not that of the two medians: the median of the rounds' own ratios */
export function resultOf(
  figure: Omit<BenchResult, 'ratio' | 'bound' | 'ok'>,
  bound: Bound,
  ratio = figure.ours / figure.peer,
): BenchResult {
  return { ...figure, ratio, ...held({ ours: figure.ours, ratio }, bound) };
}

function held(
  { ours, ratio }: Pick<BenchResult, 'ours' | 'ratio'>,
  bound: Bound,
): Pick<BenchResult, 'bound' | 'ok'> {
  if (bound === 'none') return { bound, ok: true };
  if ('ratioAtLeast' in bound) {
    return { bound: `ratio >= ${bound.ratioAtLeast}`, ok: ratio >= bound.ratioAtLeast };
  }
  if ('ratioAtMost' in bound) {
    return { bound: `ratio <= ${bound.ratioAtMost}`, ok: ratio <= bound.ratioAtMost };
  }
  return { bound: `ours < ${bound.oursBelow}`, ok: ours < bound.oursBelow };
}
