import { type Fingerprint, fingerprintOf, isSame } from './fingerprint.js';

/** Actions that one run remembers; the least recent is forgotten. */
const MOST_ACTIONS = 256;

/** A call as the model asked for it: its tool and its arguments, in whatever order. */
export type ActionDigest = Fingerprint & { readonly __brand: 'ActionDigest' };

interface Seen {
  readonly action: ActionDigest;
  result: Fingerprint;
  /** Equal results in a row. */
  repeats: number;
  /** The message that asked last: equal calls of one message are one observation. */
  messageId: string | undefined;
  /** Monotonic milliseconds. */
  at: number;
}

/**
 * The first detector of the loop guard: the same action with the same result, over and over. A changed
 * result begins anew. Constant memory, constant work per observation.
 */
export class LoopGuard {
  /** By one half of the digest; the entry has the other. */
  readonly #seen = new Map<number, Seen>();

  /** How often the action gave its last result in a row. */
  repeatsOf(action: ActionDigest): number {
    return this.#find(action)?.repeats ?? 0;
  }

  /** When the action was last seen to end, in monotonic milliseconds. */
  lastAt(action: ActionDigest): number | undefined {
    return this.#find(action)?.at;
  }

  /** Notes how an action ended: with `result`, the digest of what the model was told. */
  observe(
    action: ActionDigest,
    result: Fingerprint,
    when: { readonly messageId: string | undefined; readonly at: number },
  ): void {
    const { messageId, at } = when;
    const before = this.#find(action);
    const sameMessage = messageId !== undefined && before?.messageId === messageId;
    const repeats =
      before !== undefined && isSame(before.result, result)
        ? before.repeats + (sameMessage ? 0 : 1)
        : 1;
    // In the order of their use, so that the least recent is first.
    if (before !== undefined) this.#seen.delete(action.a);
    this.#seen.set(action.a, { action, result, repeats, messageId, at });
    if (this.#seen.size > MOST_ACTIONS) {
      const oldest = this.#seen.keys().next();
      if (!oldest.done) this.#seen.delete(oldest.value);
    }
  }

  #find(action: ActionDigest): Seen | undefined {
    const seen = this.#seen.get(action.a);
    return seen !== undefined && isSame(seen.action, action) ? seen : undefined;
  }
}

/** What makes two calls the same action: never how the model worded anything around it. */
export function actionDigest(tool: string, args: unknown): ActionDigest {
  return fingerprintOf([tool, args]) as ActionDigest;
}

/** What makes two results the same. */
export function resultDigest(result: unknown): Fingerprint {
  return fingerprintOf(result);
}
