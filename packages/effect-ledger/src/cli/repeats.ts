import type { Effect } from '../effect.js';

/** How often a wish came true. Perhaps: an outcome is unknown, or still being attempted. */
export type Verdict =
  | 'not-done'
  | 'once'
  | 'perhaps-once'
  | 'perhaps-more-than-once'
  | 'more-than-once';

/** The effects of one wish (a tool with the same identity), whatever request they belong to. */
export interface WishTally {
  readonly tenant: string;
  readonly wish: string;
  readonly verdict: Verdict;
  /** Successes that were not undone. */
  readonly done: number;
  readonly undone: number;
  readonly perhaps: number;
  /** In the order in which they were begun; at least one. */
  readonly effects: readonly [Effect, ...Effect[]];
}

/** Counts the effects of each wish; the wishes in the order of their first effect. */
export function tallyWishes(effects: readonly Effect[]): readonly WishTally[] {
  const groups = new Map<string, [Effect, ...Effect[]]>();
  for (const effect of effects) {
    const id = wishId(effect);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [effect]);
    else group.push(effect);
  }
  return [...groups.values()].map(tally);
}

/** Equal for effects of the same wish. */
export function wishId({ tenant, wish }: Pick<Effect, 'tenant' | 'wish'>): string {
  return JSON.stringify([tenant, wish]);
}

function tally(effects: readonly [Effect, ...Effect[]]): WishTally {
  const [{ tenant, wish }] = effects;
  const undone = effects.filter(isUndone).length;
  const done = effects.filter(({ state }) => state === 'succeeded').length - undone;
  const perhaps = effects.filter(
    ({ state }) => state === 'unknown' || state === 'attempting',
  ).length;
  return { tenant, wish, verdict: verdictOf(done, perhaps), done, undone, perhaps, effects };
}

function verdictOf(done: number, perhaps: number): Verdict {
  if (done > 1) return 'more-than-once';
  if (done + perhaps > 1) return 'perhaps-more-than-once';
  if (done === 1) return 'once';
  return perhaps === 1 ? 'perhaps-once' : 'not-done';
}

function isUndone(effect: Effect): boolean {
  return effect.state === 'succeeded' && effect.settlement.settled === 'compensated';
}

/** Why an effect is not the wish's first one, in a word or two. */
export function whyAgain(effect: Effect, { effects: [first] }: WishTally): string {
  if (effect.key === first.key) return '';
  if (effect.intentId !== first.intentId) return 'another request';
  if (effect.ordinal !== first.ordinal) return 'repeated in one message';
  // The ledger opens a new generation for these reasons only.
  return effect.class === 'undeclared'
    ? 'tool without an entry'
    : 'after an undo, an overwrite or a confirmation';
}
