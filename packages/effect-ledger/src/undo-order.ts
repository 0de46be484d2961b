import type { Effect, EffectIn } from './effect.js';

export interface UndoOrder {
  /** What can be taken back, in the order in which it must be. */
  readonly steps: readonly EffectIn<'succeeded'>[];
  /** What must be settled first: it may have happened. In the same order. */
  readonly unknown: readonly EffectIn<'unknown'>[];
}

/**
 * The order in which the effects of a run are taken back: by descending end sequence. An effect came
 * before another if it had ended when the other was declared (`a.endSeq < b.startSeq < b.endSeq`), so
 * this is a linear extension of the reverse order, parallel branches included. Sagas: Garcia-Molina and
 * Salem, 1987. Pure; the order of the rows given does not matter.
 *
 * Effects without an undo, settled ones and failed ones are left out.
 *
 * @example
 * const { steps, unknown } = undoOrder(await ledger.find({ runId }));
 */
export function undoOrder(effects: readonly Effect[]): UndoOrder {
  const lastFirst = [...effects].sort((a, b) => end(b) - end(a) || b.startSeq - a.startSeq);
  return {
    steps: lastFirst.filter(isUndoable),
    unknown: lastFirst.filter((effect) => effect.state === 'unknown'),
  };
}

function isUndoable(effect: Effect): effect is EffectIn<'succeeded'> {
  return (
    effect.state === 'succeeded' &&
    effect.settlement.settled === 'open' &&
    effect.undo.undo === 'ready'
  );
}

/** Rows in these states have ended; the others are left out anyway. */
function end(effect: Effect): number {
  return effect.endSeq ?? effect.startSeq;
}
