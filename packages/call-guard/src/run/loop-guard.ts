import type { FailureFacts } from '../failure.js';
import { type Fingerprint, fingerprintOf } from './fingerprint.js';
import type { MemberMemo } from './member-memo.js';

/** Actions that one run remembers; the least recent is forgotten. */
const MOST_ACTIONS = 256;

/** A call as the model asked for it: its tool and its arguments, in whatever order. */
export type ActionDigest = Fingerprint & { readonly __brand: 'ActionDigest' };

/** What is remembered of one action. They are a ring in the order of their use. */
interface Seen {
  /** The action's digest and its last result's, as numbers: V8 has to be told of each object that is stored. */
  a: number;
  b: number;
  resultA: number;
  resultB: number;
  /** Equal results in a row. */
  repeats: number;
  /** The message that asked last: equal calls of one message are one observation. */
  messageId: string | undefined;
  /** Monotonic milliseconds. Undefined for a tool that is not asked again on purpose. */
  at: number | undefined;
  before: Seen;
  next: Seen;
}

/**
 * The first detector of the loop guard: the same action with the same result, over and over. A changed
 * result begins anew. Constant memory, constant work per observation.
 */
export class LoopGuard {
  /** By one half of the digest; the entry has the other. */
  readonly #seen = new Map<number, Seen>();
  /** The beginning and the end of the ring: what follows it is the least recent. */
  readonly #head = blank();

  /** How often the action gave its last result in a row. */
  repeatsOf(action: ActionDigest): number {
    return this.#find(action)?.repeats ?? 0;
  }

  /** When the action was last seen to end, in monotonic milliseconds, where that was told. */
  lastAt(action: ActionDigest): number | undefined {
    return this.#find(action)?.at;
  }

  /**
   * Notes how an action ended: with `result`, the digest of what the model was told.
   *
   * @param messageId the message that asked
   * @param at when it ended, in monotonic milliseconds, for whoever asks `lastAt`
   */
  observe(
    action: ActionDigest,
    result: Fingerprint,
    messageId: string | undefined,
    at: number | undefined,
  ): void {
    const seen = this.#entryFor(action);
    const isRepeated = isOf(seen, action) && seen.resultA === result.a && seen.resultB === result.b;
    const sameMessage = messageId !== undefined && seen.messageId === messageId;
    if (!isRepeated) seen.repeats = 1;
    else if (!sameMessage) seen.repeats += 1;
    seen.a = action.a;
    seen.b = action.b;
    seen.resultA = result.a;
    seen.resultB = result.b;
    seen.messageId = messageId;
    seen.at = at;
    const last = this.#head.before;
    seen.before = last;
    seen.next = this.#head;
    last.next = seen;
    this.#head.before = seen;
  }

  #find(action: ActionDigest): Seen | undefined {
    const seen = this.#seen.get(action.a);
    return seen !== undefined && isOf(seen, action) ? seen : undefined;
  }

  /** Out of the ring: the action's own entry; else a new one, or that of the least recent, used again. */
  #entryFor(action: ActionDigest): Seen {
    const known = this.#seen.get(action.a);
    if (known !== undefined) return takenOut(known);
    const isFull = this.#seen.size === MOST_ACTIONS;
    const entry = isFull ? takenOut(this.#head.next) : blank();
    if (isFull) this.#seen.delete(entry.a);
    this.#seen.set(action.a, entry);
    return entry;
  }
}

function isOf(seen: Seen, action: ActionDigest): boolean {
  return seen.a === action.a && seen.b === action.b;
}

/** An entry that is not in use yet, or the head of the ring: of no result so far, so that it repeats none. */
function blank(): Seen {
  const entry = {
    a: 0,
    b: 0,
    resultA: 0,
    resultB: 0,
    repeats: 0,
    messageId: undefined,
    at: undefined,
  } as Omit<Seen, 'before' | 'next'> as Seen;
  entry.before = entry;
  entry.next = entry;
  return entry;
}

function takenOut(entry: Seen): Seen {
  entry.before.next = entry.next;
  entry.next.before = entry.before;
  return entry;
}

/** What makes two calls the same action: never how the model worded anything around it. */
export function actionDigest(tool: string, args: unknown, memo?: MemberMemo): ActionDigest {
  return fingerprintOf(tool, args, memo) as ActionDigest;
}

/** What makes two results the same. */
export function resultDigest(result: unknown, memo?: MemberMemo): Fingerprint {
  return fingerprintOf('told', result, memo);
}

/** What makes two failures the same. */
export function failureDigest({ kind, effect }: FailureFacts, memo?: MemberMemo): Fingerprint {
  return fingerprintOf('failed', [kind, effect], memo);
}
