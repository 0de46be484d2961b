import type { EffectState, Evidence, Owner, Settlement, StoredResult, Undo } from './effect.js';

/** What may be asked of a row. Who asks and why is logged with the move. */
export type Transition =
  | {
      readonly to: 'attempting';
      readonly why: 'retry' | 'resumed' | 'resend' | 'probe-absent';
      readonly owner: Owner;
    }
  | {
      readonly to: 'succeeded';
      readonly result: StoredResult;
      readonly undo: Undo;
      readonly evidence: Evidence;
    }
  | { readonly to: 'failed'; readonly failureKind: string; readonly evidence: Evidence }
  | {
      readonly to: 'unknown';
      readonly since: number;
      readonly reason: string;
      readonly evidence: Evidence;
    }
  | { readonly to: 'suspended' }
  | { readonly to: 'settled'; readonly settlement: Settlement; readonly evidence: Evidence };

type StateName = EffectState['state'];

/**
 * The whole law: from which states a row may go where, and only what is `attempting` may be suspended.
 * What is not in it is refused, moves to the same state included.
 */
const attemptingFrom: Readonly<
  Partial<Record<StateName, readonly Extract<Transition, { to: 'attempting' }>['why'][]>>
> = {
  failed: ['retry'],
  suspended: ['resumed'],
  unknown: ['resend', 'probe-absent'],
};
const outcomeFrom: Readonly<Record<'succeeded' | 'failed' | 'unknown', readonly StateName[]>> = {
  succeeded: ['attempting', 'suspended', 'unknown'],
  failed: ['attempting', 'suspended', 'unknown'],
  unknown: ['attempting', 'suspended'],
};
const settlementFrom: Readonly<Record<Settlement['settled'], readonly Settlement['settled'][]>> = {
  open: ['manual'],
  compensating: ['open'],
  compensated: ['compensating', 'manual'],
  manual: ['open', 'compensating'],
};

/**
 * The state that a move leads to, or why it is illegal. Pure and total: stores apply what it says by
 * compare-and-set and refuse the rest.
 */
export function nextState(
  from: EffectState,
  move: Transition,
): EffectState | { readonly illegal: string } {
  if (move.to === 'settled') return settle(from, move.settlement);
  if (move.to === 'attempting') {
    return attemptingFrom[from.state]?.includes(move.why)
      ? { state: 'attempting', owner: move.owner }
      : { illegal: `${from.state} may not become attempting because of ${move.why}` };
  }
  if (move.to === 'suspended') {
    return from.state === 'attempting'
      ? { state: 'suspended', owner: from.owner }
      : { illegal: `${from.state} may not become suspended` };
  }
  if (!outcomeFrom[move.to].includes(from.state)) {
    return { illegal: `${from.state} may not become ${move.to}` };
  }
  switch (move.to) {
    case 'succeeded':
      return {
        state: 'succeeded',
        result: move.result,
        undo: move.undo,
        settlement: { settled: 'open' },
      };
    case 'failed':
      return { state: 'failed', failureKind: move.failureKind };
    case 'unknown':
      return { state: 'unknown', since: move.since, reason: move.reason };
  }
}

function settle(
  from: EffectState,
  settlement: Settlement,
): EffectState | { readonly illegal: string } {
  if (from.state !== 'succeeded') return { illegal: `${from.state} has no settlement` };
  return settlementFrom[settlement.settled].includes(from.settlement.settled)
    ? { state: 'succeeded', result: from.result, undo: from.undo, settlement }
    : { illegal: `${from.settlement.settled} may not become ${settlement.settled}` };
}
