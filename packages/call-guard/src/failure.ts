import type { EffectKey } from '@holdfast/effect-ledger';

/** A problem with one argument. */
export interface ArgumentProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * One row per kind of failure: its details are typed, the list is closed, and narrowing on `kind`
 * gives the details.
 */
export interface FailureDetails {
  /** There is no such tool. */
  unknown_tool: { readonly nearest: readonly string[] };
  /** The arguments cannot be; every problem at once. */
  invalid_arguments: { readonly problems: readonly ArgumentProblem[] };
  /** The tool is not what was reviewed; nothing of its new definition is told to a model. */
  contract_changed: {
    /** `unread`: nobody can say what it is now. */
    readonly change: 'changed' | 'new' | 'unread';
    /** What of its definition is another: `description`, `inputSchema`. */
    readonly fields: readonly string[];
  };
  /** An equal call is being worked on, here or elsewhere, or the run is in other hands. */
  in_flight: { readonly key?: EffectKey; readonly since?: number };
  /** An equal call may have had its effect. */
  outcome_unknown: {
    readonly key: EffectKey;
    readonly since: number;
    readonly checking: boolean;
    /** It was done more than once: a person has to look. */
    readonly duplicate?: boolean;
  };
  /** The same place or key, with other arguments. */
  intent_conflict: { readonly key: EffectKey; readonly argsDigest: string };
  /** An equal effect stands on a branch of the conversation that was left. */
  fork_conflict: {
    readonly key: EffectKey;
    readonly argsDigest: string;
    readonly checkpointId: string;
  };
  /** A person has to agree first. */
  confirmation_required: {
    /** It cannot be undone; or an equal one was done a short while ago. */
    readonly why: 'irreversible' | 'repeat';
    readonly argsDigest: string;
    /** When the equal one was done, in wall-clock milliseconds. */
    readonly doneAt?: number;
  };
  /** A person refused the call, or let other arguments (those with the digest `editedTo`) run in its place. */
  rejected_by_user: { readonly note?: string; readonly editedTo?: string };
  /** The model's message holds a call that cannot be read. */
  malformed_call: { readonly position?: number; readonly echo: string };
  /** The model's message was cut off, so its calls may not be what was meant. */
  output_truncated: {
    readonly finishReason: string;
    /** What came of the arguments, where they cannot be read. */
    readonly echo?: string;
  };
  /** The tool did not answer in time; `limit` says which clock ran out. */
  timed_out: {
    readonly limit: 'run' | 'tool' | 'first-byte' | 'idle';
    readonly afterMs: number;
    readonly stillRunning: boolean;
  };
  /** `newer-input`: the conversation went on before the call was answered. */
  cancelled: { readonly by: 'caller' | 'newer-input' };
  /** The connection broke or could not be made. `sent` false: the request never left. */
  transport_lost: { readonly code?: string; readonly sent: boolean };
  /** The other side failed (5xx), or the tool threw something that nobody can read. */
  dependency_failed: {
    readonly status?: number;
    readonly code?: string;
    readonly message?: string;
    /** Known to pass: the same call may succeed at once (a deadlock, a busy database). */
    readonly transient?: boolean;
    /** A guarded call inside of the tool failed, and has told its own breaker of it. */
    readonly innerCall?: true;
    /** What that call was asked to wait. */
    readonly retryAfterMs?: number;
  };
  /** The other side refused for a reason of its own (4xx). */
  business_error: {
    readonly status?: number;
    readonly code?: string;
    readonly message?: string;
  };
  /** The other side knows the caller not or no more, allows it too little, or has it paid for too little. */
  auth_failed: {
    readonly why: 'credentials' | 'permission' | 'quota';
    readonly status?: number;
    readonly code?: string;
    readonly message?: string;
  };
  /** The other side takes no more requests for now. `source` says where that was read. */
  rate_limited: {
    readonly retryAfterMs?: number;
    readonly source: string;
    /** What spoke of a wait and could not be read. */
    readonly unreadable?: readonly string[];
  };
  /** The other side cannot keep up. */
  overloaded: {
    readonly retryAfterMs?: number;
    readonly source: string;
    readonly status?: number;
    readonly unreadable?: readonly string[];
  };
  /** What is left of the run's deadline is less than the call needs. */
  deadline_exceeded: { readonly neededMs: number; readonly leftMs: number };
  /** The same call gave the same result too often. */
  loop_detected: { readonly repeats: number };
  /** The tool is switched off: by an operator, or in this run after its breaker opened. */
  tool_disabled: { readonly by: 'operator' | 'run' };
  /** The tool or its resource group failed too often. `since`: wall-clock ms; `retryAfterMs`: from now. */
  circuit_open: {
    readonly since: number;
    readonly retryAfterMs: number;
    readonly scope: 'tool' | 'group';
  };
  /** The checkpoint that holds the call is not durable. */
  not_durable: { readonly checkpointId?: string; readonly waitedMs: number };
  /** The ledger cannot be written, so there is no effect. */
  ledger_unavailable: { readonly reason: string };
  /** A read's result is not what its entry promises. */
  result_invalid: { readonly problems: readonly ArgumentProblem[] };
  /** Done, but what the tool answered is not known any more. */
  result_not_kept: {
    readonly key: EffectKey;
    readonly reason: string;
    readonly evidence?: unknown;
  };
}
export type FailureKind = keyof FailureDetails;

/** Who may act next. One field: a failure that nobody may retry cannot carry a wait. */
export type Next =
  | {
      readonly by: 'nobody';
      readonly advice: 'do_not_retry' | 'use_another_tool' | 'report_partial' | 'hand_off';
    }
  | {
      readonly by: 'guard' | 'model' | 'user';
      readonly advice: 'fix_arguments' | 'supply_input' | 'wait' | 'confirm';
      readonly afterMs?: number;
    };

/** What a failed call did to the outside world, earlier attempts included. */
export type EffectSeen = 'none' | 'done' | 'unknown';

interface FactsOf<K extends FailureKind> {
  readonly kind: K;
  readonly effect: EffectSeen;
  readonly next: Next;
  readonly details: FailureDetails[K];
  /** Steps of the tool that are done all the same, and will not be done again. */
  readonly stepsDone?: readonly string[];
  readonly cause?: unknown;
}
/** Inside the gate: facts without texts. */
export type FailureFacts<K extends FailureKind = FailureKind> = { [P in K]: FactsOf<P> }[K];

/** At the border: identity and texts, added by `shape` only. What is not known is absent, not invented. */
export type Failure<K extends FailureKind = FailureKind> = FailureFacts<K> & {
  readonly tool: string;
  readonly toolVersion?: string;
  readonly callId: string;
  readonly runId: string;
  readonly intentId: string;
  readonly threadId?: string;
  readonly idempotencyKey?: EffectKey;
  /** How often the tool was called by this call. */
  readonly attempts: number;
  /** What the model reads. */
  readonly forModel: string;
  /** What the user reads. */
  readonly forUser: string;
};

const BRAND = Symbol.for('holdfast.guard-error');

/** A failed call as an exception: thrown where there is no message to put the failure in. */
export class GuardError<K extends FailureKind = FailureKind> extends Error {
  override readonly name = 'GuardError';
  readonly [BRAND] = true;
  readonly code: K;
  constructor(readonly failure: Failure<K>) {
    super(failure.forModel, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.code = failure.kind;
  }
}

/**
 * Whether this is a {@link GuardError}, of whichever copy of this package.
 * @example if (isGuardError(error, 'outcome_unknown')) console.log(error.failure.details.key)
 */
export function isGuardError<K extends FailureKind = FailureKind>(
  error: unknown,
  kind?: K,
): error is GuardError<K> {
  return (
    typeof error === 'object' &&
    error !== null &&
    BRAND in error &&
    'code' in error &&
    (kind === undefined || error.code === kind)
  );
}
