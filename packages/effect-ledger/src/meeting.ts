import type { Declaration, Effect, EffectIn, Place } from './effect.js';

/** What the ledger holds about the wish of a new call. */
export interface Standing {
  /** The row of the wish (same ordinal) with the highest generation. */
  readonly latest: Effect | undefined;
  /** Whether another write was declared on the same instance after `latest`. */
  readonly overwritten: boolean;
  /** Rows of the same thread with the same tool and identity that belong to other intents and are not ended. */
  readonly elsewhere: readonly Effect[];
}

/** What a call meets. Exactly one of these; callers switch exhaustively. */
export type Meeting =
  | {
      readonly meets: 'nothing';
      readonly generation: number;
      readonly earlierUnknown?: EffectIn<'unknown'>;
    }
  | { readonly meets: 'failed'; readonly effect: EffectIn<'failed'> }
  | { readonly meets: 'done'; readonly effect: EffectIn<'succeeded'> }
  | { readonly meets: 'open'; readonly effect: Effect }
  | { readonly meets: 'unknown'; readonly effect: EffectIn<'unknown'> }
  | { readonly meets: 'conflict'; readonly effect: Effect };

/**
 * The generation rule, pure. *Open or unknown*: nothing is sent. *Succeeded and still standing*: it
 * answers. *Undone, or (keyed writes only) overwritten*: a new wish, generation + 1. A tool without an
 * entry is never folded, and an unknown outcome of it stops only its own run, unless doubt is shared. The call of the row itself,
 * made again elsewhere, is answered with its own success whatever came after it. What a person wants
 * again is a new wish, once: the row that follows is what the next call meets.
 *
 * A step inside a tool is answered by its own row alone.
 *
 * A row `attempting` whose owner is dead must have been moved to `unknown` before it gets here.
 */
export function meet(
  call: Pick<
    Declaration,
    | 'class'
    | 'runId'
    | 'keyGiven'
    | 'argsDigest'
    | 'place'
    | 'step'
    | 'againAfter'
    | 'doubtIsShared'
  >,
  standing: Standing,
): Meeting {
  const { latest } = standing;
  if (call.step !== undefined) return meetStep(latest);
  const isWantedAgain = (effect: Effect): boolean =>
    effect.key === call.againAfter && (effect.state === 'succeeded' || effect.state === 'unknown');
  const blocking = standing.elsewhere.find(
    (effect) => stops(call, effect) && !isWantedAgain(effect),
  );
  if (blocking !== undefined) {
    return blocking.state === 'unknown'
      ? { meets: 'unknown', effect: blocking }
      : { meets: 'open', effect: blocking };
  }
  if (latest === undefined) return nothing(0, standing);
  if (isWantedAgain(latest)) return nothing(latest.generation + 1, standing);
  if (call.keyGiven && latest.argsDigest !== call.argsDigest)
    return { meets: 'conflict', effect: latest };
  switch (latest.state) {
    case 'attempting':
    case 'suspended':
      return { meets: 'open', effect: latest };
    case 'unknown':
      return stops(call, latest)
        ? { meets: 'unknown', effect: latest }
        : nothing(latest.generation + 1, standing);
    case 'failed':
      return { meets: 'failed', effect: latest };
    case 'succeeded':
      return again(call, latest, standing);
  }
}

/** A step is met by its key alone: it stands as long as its parent, whose generations have other keys. */
function meetStep(latest: Effect | undefined): Meeting {
  if (latest === undefined) return { meets: 'nothing', generation: 0 };
  switch (latest.state) {
    case 'attempting':
    case 'suspended':
      return { meets: 'open', effect: latest };
    case 'unknown':
      return { meets: 'unknown', effect: latest };
    case 'failed':
      return { meets: 'failed', effect: latest };
    case 'succeeded':
      return { meets: 'done', effect: latest };
  }
}

function stops(
  call: Pick<Declaration, 'class' | 'runId' | 'doubtIsShared'>,
  effect: Effect,
): boolean {
  if (effect.state === 'attempting' || effect.state === 'suspended') return true;
  if (effect.state !== 'unknown') return false;
  return call.class !== 'undeclared' || call.doubtIsShared === true || effect.runId === call.runId;
}

function again(
  call: Pick<Declaration, 'class' | 'argsDigest' | 'place'>,
  latest: EffectIn<'succeeded'>,
  standing: Standing,
): Meeting {
  const next = nothing(latest.generation + 1, standing);
  switch (latest.settlement.settled) {
    case 'compensated':
      return next;
    case 'compensating':
      return { meets: 'open', effect: latest };
    case 'open':
    case 'manual': {
      const newWish =
        call.class === 'undeclared' || (call.class === 'idempotent-write' && standing.overwritten);
      const isItself =
        latest.argsDigest === call.argsDigest && isSamePlace(latest.place, call.place);
      return newWish && !isItself ? next : { meets: 'done', effect: latest };
    }
  }
}

/** A new wish. What is unknown of an earlier one does not stop it, and is told. */
function nothing(generation: number, { latest, elsewhere }: Standing): Meeting {
  const rows = latest === undefined ? elsewhere : [latest, ...elsewhere];
  const earlierUnknown = rows.find((effect) => effect.state === 'unknown');
  return { meets: 'nothing', generation, ...(earlierUnknown && { earlierUnknown }) };
}

/** The same call of the same message. In a conversation whose messages have no ids nothing tells. */
function isSamePlace(a: Place, b: Place): boolean {
  const tells = a.messageId !== undefined || a.taskId === undefined;
  return (
    tells &&
    a.callId !== undefined &&
    a.callId === b.callId &&
    a.threadId === b.threadId &&
    a.messageId === b.messageId &&
    a.position === b.position
  );
}
