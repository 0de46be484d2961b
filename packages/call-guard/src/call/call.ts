import type { Effect, EffectIn, EffectKey, Place } from '@holdfast/effect-ledger';
import type { AnyToolEntry, EffectClass } from '@holdfast/tool-registry';
import type { CallContext } from '../call-context.js';
import type { Failure, FailureDetails, FailureFacts } from '../failure.js';
import type { ProgressUpdate } from '../progress.js';
import type { TimeLeft } from '../run/deadline.js';
import type { Run } from '../run/run.js';
import type { Edit } from './edit.js';
import type { TryPermit } from './permit.js';
import type { Question } from './question.js';
import type { TryTime } from './time.js';

/** Does the work of a tool. Runs at most as often as the tool's class allows. */
export type Execute<A, R> = (args: A, call: CallContext) => Promise<R>;

/** How a result is kept, to be given again by another process. */
export interface ResultCodec {
  encode(result: unknown): Promise<{ readonly type: string; readonly bytes: Uint8Array }>;
  decode(stored: { readonly type: string; readonly bytes: Uint8Array }): Promise<unknown>;
}

/** One call of the AI message that a call belongs to. */
export interface Sibling {
  readonly tool: string;
  readonly args: unknown;
}

/**
 * What is wrong with a call in the message that asks for it: it cannot be read, or the message was cut off.
 * A read whose arguments came whole is made in spite of the latter.
 */
export type CallFlaw = {
  [K in 'malformed_call' | 'output_truncated']: {
    readonly kind: K;
    readonly details: FailureDetails[K];
  };
}['malformed_call' | 'output_truncated'];

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

/** What an adapter adds to a call: how its framework pauses, keeps results and waits for checkpoints. */
export interface CallHost {
  readonly run: Run;
  /** What must be durable before an irreversible effect may start. Resolves to what it could not wait for. */
  barrier?(
    signal: AbortSignal | undefined,
  ): Promise<{ checkpointId?: string; waitedMs: number } | undefined>;
  /** Whether a thrown value is the framework's control flow (a pause, a drain) and no failure. */
  suspends?(thrown: unknown): boolean;
  /** What the tool's function itself returned, unread: where a failure that came as a result is looked for. */
  rawResult?(output: unknown): unknown;
  /** The tool's own value in what `execute` returned: what its entry's `output` describes. */
  typedResult?(output: unknown): unknown;
  /** The reverse of `typedResult`: what the tool would have returned, from a value that a probe found. */
  present?(result: unknown, request: CallRequest): unknown;
  /** Whether the conversation went on without the call at this place, which waited for a person. */
  leftBehind?(place: Place): boolean;
  /**
   * Whether what was done at this place lies on the conversation's own course, or on one that was left by a
   * fork or a replay from before it.
   */
  branch?(place: Place): Promise<'same' | 'left' | 'unknown'>;
  /** Whether the conversation holds the answer of the call at this place. */
  answered?(place: Place): boolean;
  /**
   * Asks a person: resolves to what they said, `{ [callId]: answer }`, or throws what `suspends` knows until
   * they have said something. Absent where nobody can be asked.
   */
  ask?(question: Question): Promise<unknown>;
  readonly codec?: ResultCodec;
  /** Shows the run's user that work goes on. Must not throw. */
  progress?(update: ProgressUpdate): void;
  /** How what a step gave is kept. Default: canonical JSON. */
  readonly stepCodec?: ResultCodec;
  /** A probe or capture of the guard itself, which is not in the run's report. */
  readonly isOwn?: boolean;
  /** The names that the agent has; for the nearest ones to a name that it has not. */
  readonly toolNames?: readonly string[];
}

/** The contract of a call: a tool's entry, or the one of tools without an entry. */
export type Contract =
  | {
      readonly declared: true;
      readonly class: Exclude<EffectClass, 'undeclared'>;
      readonly entry: AnyToolEntry;
    }
  | { readonly declared: false; readonly class: 'undeclared' };

export interface Resolved {
  readonly at: 'resolved';
  readonly request: CallRequest;
  readonly host: CallHost;
  readonly contract: Contract;
  /** What bounds the call. */
  readonly time: TimeLeft;
  /** Whether a call around this one is tried again as a whole. */
  readonly insideRetries: boolean;
}

/** What makes this call the wish that it is; for calls with effects only. */
export interface Wish {
  readonly scope: 'intent' | 'business';
  readonly identity: string;
  readonly keyGiven: boolean;
  readonly argsDigest: string;
  readonly wish: string;
  readonly ordinal: number;
  /** How many equal calls of the message stand before this one, where a person says what that means; else 0. */
  readonly repeats: number;
  readonly instance?: string;
}

/** What tells wishes apart among the calls under way in this process. */
export function flightKey(run: Run, wish: Wish): string {
  return JSON.stringify([
    run.tenant,
    wish.scope === 'intent' ? run.intentId : null,
    wish.wish,
    wish.ordinal,
  ]);
}

export interface Validated extends Omit<Resolved, 'at'> {
  readonly at: 'validated';
  /** After the schema's transforms. */
  readonly args: unknown;
  /** After repairs, before transforms. */
  readonly input: unknown;
  readonly repairs: readonly string[];
  readonly wish?: Wish;
  /** Where a person changed what the model asked for. */
  readonly edit?: Edit;
  /** What a person wants once more. */
  readonly again?: EffectKey;
}

/** How a call that is not answered yet enters the ledger: as a new row, or as its own again. */
export type Entrance =
  | {
      readonly by: 'claim';
      /** What the ledger holds of the same wish: under way, or left so by a process that ended. */
      readonly open?: Effect;
    }
  | {
      readonly by: 're-entry';
      readonly effect: Effect;
      readonly why: 'retry' | 'resumed' | 'resend' | 'probe-absent';
    };

/** What earlier attempts of the call left behind, which a refusal now does not change. */
export function effectSoFar({ entrance }: { readonly entrance: Entrance }): 'none' | 'unknown' {
  const mayBe =
    entrance.by === 'claim' ? entrance.open?.state === 'attempting' : entrance.why === 'resend';
  return mayBe ? 'unknown' : 'none';
}

export interface Recalled extends Omit<Validated, 'at'> {
  readonly at: 'recalled';
  readonly entrance: Entrance;
}

export interface Admitted extends Omit<Recalled, 'at'>, TryTime {
  readonly at: 'admitted';
  /** For the first try. */
  readonly permit: TryPermit;
}

export interface Declared extends Omit<Admitted, 'at'> {
  readonly at: 'declared';
  /** The row, now `attempting` and ours; absent for reads and delegates. */
  readonly effect?: EffectIn<'attempting'>;
  readonly attemptId: string;
  /** Warnings about what was found. */
  readonly warnings: readonly string[];
}

export type Outcome =
  | { readonly outcome: 'succeeded'; readonly output: unknown }
  /** Known from a probe, or counted as done by the entry's policy; not known from our own attempt. */
  | {
      readonly outcome: 'confirmed';
      readonly by?: 'probe' | 'policy';
      readonly evidence: unknown;
      readonly result?: unknown;
    }
  | { readonly outcome: 'failed' | 'unknown'; readonly failure: FailureFacts }
  /** The framework's control flow, to be thrown on. */
  | { readonly outcome: 'suspended'; readonly thrown: unknown };

export interface Attempted extends Omit<Declared, 'at'> {
  readonly at: 'attempted';
  readonly outcome: Outcome;
  readonly tries: number;
  readonly keyCarried: boolean;
}

export interface Settled extends Omit<Attempted, 'at'> {
  readonly at: 'settled';
}

/** The ways a call leaves the line early; `shape` takes them and the line's end alike. */
export type Stopped =
  | {
      readonly at: 'refused';
      readonly request: CallRequest;
      readonly host: CallHost;
      readonly contract?: Contract;
      readonly edit?: Edit;
      readonly failure: FailureFacts;
      readonly key?: EffectKey;
    }
  | {
      readonly at: 'folded';
      readonly request: CallRequest;
      readonly host: CallHost;
      readonly contract: Contract;
      readonly effect: EffectIn<'succeeded'>;
      /** The call's own result given again (`replayed`), or an equal call's (`folded`, `ahead`). */
      readonly how: 'replayed' | 'folded' | 'ahead';
      readonly edit?: Edit;
    }
  /** Waits for a person: `thrown` is the framework's control flow, to be thrown on. */
  | {
      readonly at: 'paused';
      readonly request: CallRequest;
      readonly host: CallHost;
      readonly contract: Contract;
      readonly thrown: unknown;
    };

/** What leaves the gate. */
export type CallAnswer<R> =
  | {
      readonly ok: true;
      readonly result: R;
      /** `false`: executed now. Otherwise how an earlier result came to answer this call. */
      readonly folded: false | 'replayed' | 'folded' | 'ahead';
      readonly attempts: number;
      readonly repairs: readonly string[];
      readonly warnings: readonly string[];
      readonly key?: EffectKey;
      /** The call id under which the result was made, where that was another one. */
      readonly originalCallId?: string;
      /** Where a person changed what the model asked for. */
      readonly edit?: Edit;
    }
  | { readonly ok: false; readonly failure: Failure };

/** Leaves the line with a failure. */
export function refuse(
  call: Pick<Resolved, 'request' | 'host'> & { readonly contract?: Contract; readonly edit?: Edit },
  failure: FailureFacts,
  key?: EffectKey,
): Stopped {
  return {
    at: 'refused',
    request: call.request,
    host: call.host,
    failure,
    ...(call.contract === undefined ? {} : { contract: call.contract }),
    ...(call.edit === undefined ? {} : { edit: call.edit }),
    ...(key === undefined ? {} : { key }),
  };
}

/** Leaves the line with an earlier result. */
export function fold(
  call: Pick<Resolved, 'request' | 'host' | 'contract'> & { readonly edit?: Edit },
  effect: EffectIn<'succeeded'>,
  how: 'replayed' | 'folded' | 'ahead',
  edit: Edit | undefined = call.edit,
): Stopped {
  return {
    at: 'folded',
    request: call.request,
    host: call.host,
    contract: call.contract,
    effect,
    how,
    ...(edit === undefined ? {} : { edit }),
  };
}
