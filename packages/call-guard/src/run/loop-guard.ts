import { type Fingerprint, fingerprintOf, isSame } from './fingerprint.js';

/** Actions that one run remembers; the least recent is forgotten. */
const MOST_ACTIONS = 256;

/** A call as the model asked for it: its tool and its arguments, in whatever order. */
export type ActionDigest = Fingerprint & { readonly __brand: 'ActionDigest' };

/** What is remembered of one action. They are a ring in the order of their use. */
interface Seen {
  action: Fingerprint;
  result: Fingerprint;
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
    const isRepeated = isSame(seen.action, action) && isSame(seen.result, result);
    const sameMessage = messageId !== undefined && seen.messageId === messageId;
    if (!isRepeated) seen.repeats = 1;
    else if (!sameMessage) seen.repeats += 1;
    seen.action = action;
    seen.result = result;
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
    return seen !== undefined && isSame(seen.action, action) ? seen : undefined;
  }

  /** Out of the ring: the action's own entry; else a new one, or that of the least recent, used again. */
  #entryFor(action: ActionDigest): Seen {
    const known = this.#seen.get(action.a);
    if (known !== undefined) return takenOut(known);
    const isFull = this.#seen.size === MOST_ACTIONS;
    const entry = isFull ? takenOut(this.#head.next) : blank();
    if (isFull) this.#seen.delete(entry.action.a);
    this.#seen.set(action.a, entry);
    return entry;
  }
}

/** An entry, or the head of the ring. Of no action: none has half of a number. */
function blank(): Seen {
  const none = { a: 0.5, b: 0.5 };
  const entry = {
    action: none,
    result: none,
    repeats: 0,
    messageId: undefined,
    at: undefined,
  } as Seen;
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
export function actionDigest(tool: string, args: unknown): ActionDigest {
  return fingerprintOf([tool, args]) as ActionDigest;
}

/** What makes two results the same. */
export function resultDigest(result: unknown): Fingerprint {
  return fingerprintOf(result);
}
