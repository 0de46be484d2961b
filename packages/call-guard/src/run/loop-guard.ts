import { fingerprintOf } from './fingerprint.js';

/** Actions that one run remembers; the least recent is forgotten. */
const MOST_ACTIONS = 256;

/** A call as the model asked for it: its tool and its arguments, in whatever order. */
export type ActionDigest = number & { readonly __brand: 'ActionDigest' };

/** What an action gave: the fingerprint of its result, or a text for what is none. */
export type ResultDigest = number | string;

interface Seen {
  result: ResultDigest;
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
  readonly #seen = new Map<ActionDigest, Seen>();

  /** How often the action gave its last result in a row. */
  repeatsOf(action: ActionDigest): number {
    return this.#seen.get(action)?.repeats ?? 0;
  }

  /** When the action was last seen to end, in monotonic milliseconds. */
  lastAt(action: ActionDigest): number | undefined {
    return this.#seen.get(action)?.at;
  }

  /** Notes how an action ended: with `result`, the digest of what the model was told. */
  observe(
    action: ActionDigest,
    result: ResultDigest,
    when: { readonly messageId: string | undefined; readonly at: number },
  ): void {
    const { messageId, at } = when;
    const before = this.#seen.get(action);
    const sameMessage = messageId !== undefined && before?.messageId === messageId;
    const repeats = before?.result === result ? before.repeats + (sameMessage ? 0 : 1) : 1;
    // In the order of their use, so that the least recent is first.
    this.#seen.delete(action);
    this.#seen.set(action, { result, repeats, messageId, at });
    if (this.#seen.size > MOST_ACTIONS) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
  }
}

/** What makes two calls the same action: never how the model worded anything around it. */
export function actionDigest(tool: string, args: unknown): ActionDigest {
  return fingerprintOf([tool, args]) as ActionDigest;
}

/** What makes two results the same. */
export function resultDigest(result: unknown): ResultDigest {
  return fingerprintOf(result);
}
