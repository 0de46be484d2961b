import type {
  Attempt,
  Declaration,
  Effect,
  EffectIn,
  EffectKey,
  EffectState,
  Owner,
} from './effect.js';
import type { AttemptEnd } from './store.js';
import { nextState, type Transition } from './transitions.js';

/** What a row holds whatever its state. */
export type EffectRecord = Omit<Declaration, 'identity' | 'frozenArgs'> & {
  readonly key: EffectKey;
  readonly generation: number;
  readonly wish: string;
  readonly frozenArgs?: Uint8Array;
  readonly version: number;
  readonly startSeq: number;
  readonly endSeq?: number;
  readonly attempts: readonly Attempt[];
};

/** When a change takes place: by the store's clock and by the ledger's sequence. */
export interface Moment {
  readonly now: number;
  readonly seq: number;
}

/** The row of a new effect. */
export function declaredEffect(
  declaration: Declaration,
  identified: Pick<Effect, 'key' | 'wish' | 'generation'>,
  attempt: { readonly id: string; readonly owner: Owner },
  { now, seq }: Moment,
): EffectIn<'attempting'> {
  const { identity: _, ...kept } = declaration;
  return {
    ...kept,
    ...identified,
    state: 'attempting',
    owner: attempt.owner,
    version: 1,
    startSeq: seq,
    attempts: [{ id: attempt.id, startedAt: now }],
  };
}

/**
 * The row of a failed effect that another claim attempts again, under the same key and with the same
 * arguments. It belongs to the run that attempts it now: that run's lease tells whether the attempt is
 * alive, and that run's undo takes it back.
 */
export function retriedEffect(
  effect: EffectIn<'failed'>,
  declaration: Pick<Declaration, 'runId' | 'intentId' | 'place'>,
  attempt: { readonly id: string; readonly owner: Owner },
  moment: Moment,
): EffectIn<'attempting'> {
  const { runId, intentId, place } = declaration;
  return { ...reattempted(effect, attempt, moment), runId, intentId, place };
}

/** The row that `attempt` has begun to work on. Whether it may is for {@link lawfulState} to say. */
export function reattempted(
  effect: Effect,
  attempt: { readonly id: string; readonly owner: Owner },
  { now, seq }: Moment,
): EffectIn<'attempting'> {
  return {
    ...recordOf(effect),
    state: 'attempting',
    owner: attempt.owner,
    version: effect.version + 1,
    // It may write now: what was declared in between is older than this.
    startSeq: seq,
    attempts: [...effect.attempts, { id: attempt.id, startedAt: now }],
  };
}

/** The row after a move to an outcome, a suspension or a settlement. */
export function changedEffect(
  effect: Effect,
  state: EffectState,
  transition: Exclude<Transition, { to: 'attempting' }>,
  attempts: readonly Attempt[],
  seq: number,
): Effect {
  const { frozenArgs, ...record } = recordOf(effect);
  const ends = transition.to !== 'settled' && transition.to !== 'suspended';
  return {
    ...record,
    // Nobody sends a success again.
    ...(frozenArgs !== undefined && state.state !== 'succeeded' ? { frozenArgs } : {}),
    ...state,
    version: effect.version + 1,
    ...(ends ? { endSeq: seq } : {}),
    attempts,
  };
}

/** The state that the law gives, or undefined when it forbids the move. */
export function lawfulState(effect: Effect, transition: Transition): EffectState | undefined {
  const next = nextState(effect, transition);
  return 'illegal' in next ? undefined : next;
}

/**
 * The attempts after a move: the named one has ended, or the open one when none is named; undefined
 * when the named one is not of this row.
 */
export function endedAttempts(
  effect: Effect,
  transition: Exclude<Transition, { to: 'attempting' }>,
  end: AttemptEnd | undefined,
  now: number,
): readonly Attempt[] | undefined {
  const { attempts } = effect;
  if (transition.to === 'settled') return attempts;
  const open = effect.state === 'attempting' ? attempts.at(-1)?.id : undefined;
  const id = end?.id ?? open;
  if (id === undefined) return attempts;
  if (!attempts.some((attempt) => attempt.id === id)) return undefined;
  return attempts.map((attempt) =>
    attempt.id === id ? { ...attempt, endedAt: now, ended: transition.to, ...end } : attempt,
  );
}

/** A row without what belongs to its state. */
function recordOf(effect: Effect): EffectRecord {
  switch (effect.state) {
    case 'attempting':
    case 'suspended': {
      const { state, owner, ...record } = effect;
      return record;
    }
    case 'succeeded': {
      const { state, result, undo, settlement, ...record } = effect;
      return record;
    }
    case 'failed': {
      const { state, failureKind, ...record } = effect;
      return record;
    }
    case 'unknown': {
      const { state, since, reason, ...record } = effect;
      return record;
    }
  }
}
