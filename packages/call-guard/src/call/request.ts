import type { Place } from '@holdfast/effect-ledger';
import type { CallContext } from '../call-context.js';
import type { FailureDetails } from '../failure.js';

/** Does the work of a tool. Runs at most as often as the tool's class allows. */
export type Execute<A, R> = (args: A, call: CallContext) => Promise<R>;

/** One call of the AI message that a call belongs to. */
export interface Sibling {
  readonly tool: string;
  readonly args: unknown;
}

/**
 * Why a call must not be made: the message that asks for it cannot be read, or was cut off, or its tool is
 * not what was reviewed. A read whose arguments came whole is made in spite of a message that was cut off.
 */
export type CallFlaw = {
  [K in 'malformed_call' | 'output_truncated' | 'contract_changed']: {
    readonly kind: K;
    readonly details: FailureDetails[K];
  };
}['malformed_call' | 'output_truncated' | 'contract_changed'];

/** A call that the model asked for, as it enters the gate. */
export interface CallRequest<N extends string = string> {
  readonly tool: N;
  readonly args: unknown;
  /** What the model asked for, where a person has changed the arguments since. */
  readonly asked?: unknown;
  /** The model's id of the call. */
  readonly callId: string;
  /** A key of the caller's own for this one call; with other arguments it is `intent_conflict`. */
  readonly callKey?: string;
  /** Where the call stands in a conversation; what tells a re-entry from a repetition. */
  readonly place?: Omit<Place, 'callId'>;
  /** The calls of the same AI message in their order, this one at `place.position`. */
  readonly siblings?: readonly Sibling[];
  /** Why it must not be made. */
  readonly flaw?: CallFlaw;
  /** Aborted when the caller gives up. */
  readonly signal?: AbortSignal;
  /** How long the call may take in all, in milliseconds, its retries and their waits included. */
  readonly deadlineMs?: number;
}
