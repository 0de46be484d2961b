import type {
  Attempt,
  Declaration,
  Effect,
  EffectIn,
  EffectState,
  Evidence,
  Owner,
} from './effect.js';
import type { AttemptEnd } from './store.js';
import { nextState, type Transition } from './transitions.js';

/** What a row holds whatever its state. */
export type EffectRecord = Omit<Declaration, 'identity' | 'frozenArgs'> &
  Pick<
    Effect,
    'key' | 'generation' | 'wish' | 'frozenArgs' | 'version' | 'startSeq' | 'endSeq' | 'attempts'
  >;

/** When an effect begins: by the store's clock and by the ledger's sequence. */
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
  return inState({ state: 'attempting', owner: attempt.owner }, declaration, identified, {
    frozenArgs: declaration.frozenArgs,
    version: 1,
    startSeq: seq,
    endSeq: undefined,
    attempts: [{ id: attempt.id, startedAt: now }],
  });
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
  earlier: readonly Attempt[] = effect.attempts,
): EffectIn<'attempting'> {
  return inState({ state: 'attempting', owner: attempt.owner }, effect, effect, {
    frozenArgs: effect.frozenArgs,
    version: effect.version + 1,
    // It may write now: what was declared in between is older than this.
    startSeq: seq,
    endSeq: effect.endSeq,
    attempts: [...earlier, { id: attempt.id, startedAt: now }],
  });
}

/** The row after a move to an outcome, a suspension or a settlement. */
export function changedEffect(
  effect: Effect,
  state: EffectState,
  attempts: readonly Attempt[],
  endSeq: number | undefined,
): Effect {
  return inState(state, effect, effect, {
    // Nobody sends a success again.
    frozenArgs: state.state === 'succeeded' ? undefined : effect.frozenArgs,
    version: effect.version + 1,
    startSeq: effect.startSeq,
    endSeq,
    attempts,
  });
}

/** The state that the law gives, or undefined when it forbids the move. */
export function lawfulState(effect: Effect, transition: Transition): EffectState | undefined {
  const next = nextState(effect, transition);
  return 'illegal' in next ? undefined : next;
}

/**
 * Whether an attempt other than the given one may have had the effect: nobody learned how it ended, and
 * nothing proved since that there was none.
 */
export function isInDoubt({ attempts }: Pick<Effect, 'attempts'>, besides?: string): boolean {
  return attempts.some(({ id, ended }) => ended === 'unknown' && id !== besides);
}

/**
 * What a failed attempt is for its effect. It speaks of itself alone: while another one is in doubt, the
 * effect is unknown. Whoever looked at the effect itself (a probe, a person) is believed.
 */
export function certainOf(
  effect: Effect,
  transition: Exclude<Transition, { to: 'attempting' }>,
  attempt: string | undefined,
  now: number,
): Exclude<Transition, { to: 'attempting' }> {
  if (transition.to !== 'failed' || !speaksOfAttempt(transition.evidence)) return transition;
  const { failureKind: reason, evidence } = transition;
  return isInDoubt(effect, attempt ?? effect.attempts.at(-1)?.id)
    ? { to: 'unknown', since: now, reason, evidence }
    : transition;
}

function speaksOfAttempt({ by }: Evidence): boolean {
  return by === 'attempt' || by === 'late-answer';
}

/** The attempts once it is proven that none of them had the effect. */
export function withoutEffect(attempts: readonly Attempt[]): readonly Attempt[] {
  return attempts.map((one) => (one.ended === 'unknown' ? { ...one, ended: 'failed' } : one));
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
  if (transition.to === 'settled') return effect.attempts;
  const attempts = transition.to === 'failed' ? withoutEffect(effect.attempts) : effect.attempts;
  const open = effect.state === 'attempting' ? attempts.at(-1)?.id : undefined;
  const id = end?.id ?? open;
  if (id === undefined) return attempts;
  if (!attempts.some((attempt) => attempt.id === id)) return undefined;
  return attempts.map((attempt) =>
    attempt.id === id ? endedAttempt(attempt, end, transition.to, now) : attempt,
  );
}

function endedAttempt(
  { id, startedAt, tries: triesBefore, keyCarried: carriedBefore }: Attempt,
  end: AttemptEnd | undefined,
  as: NonNullable<Attempt['ended']>,
  now: number,
): Attempt {
  const {
    endedAt = now,
    ended = as,
    tries = triesBefore,
    keyCarried = carriedBefore,
  } = end ?? { id };
  const attempt: { -readonly [Field in keyof Attempt]: Attempt[Field] } = {
    id,
    startedAt,
    endedAt,
    ended,
  };
  if (tries !== undefined) attempt.tries = tries;
  if (keyCarried !== undefined) attempt.keyCarried = keyCarried;
  return attempt;
}

/**
 * A row, built field by field, as an attempt is: copies that spread some twenty fields, add some or leave
 * some out are what engines are slow at, and each effect makes several.
 */
function inState<S extends EffectState>(
  state: S,
  declared: Omit<Declaration, 'identity' | 'frozenArgs'>,
  { key, generation, wish }: Pick<Effect, 'key' | 'generation' | 'wish'>,
  {
    frozenArgs,
    version,
    startSeq,
    endSeq,
    attempts,
  }: Pick<Effect, 'version' | 'startSeq' | 'attempts'> & {
    readonly frozenArgs: Uint8Array | undefined;
    readonly endSeq: number | undefined;
  },
): EffectRecord & S {
  const { step, instance, before } = declared;
  const record: { -readonly [Field in keyof EffectRecord]: EffectRecord[Field] } = {
    key,
    tenant: declared.tenant,
    runId: declared.runId,
    intentId: declared.intentId,
    scope: declared.scope,
    tool: declared.tool,
    toolVersion: declared.toolVersion,
    class: declared.class,
    keyGiven: declared.keyGiven,
    argsDigest: declared.argsDigest,
    wish,
    ordinal: declared.ordinal,
    generation,
    place: declared.place,
    version,
    startSeq,
    attempts,
  };
  if (step !== undefined) record.step = step;
  // A step writes as a part of its tool, whose row says what is overwritten.
  else if (instance !== undefined) record.instance = instance;
  if (before !== undefined) record.before = before;
  if (frozenArgs !== undefined) record.frozenArgs = frozenArgs;
  if (endSeq !== undefined) record.endSeq = endSeq;
  return Object.assign(record, state);
}
