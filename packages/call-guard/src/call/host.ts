import type { Place } from '@holdfast/effect-ledger';
import type { ArgumentRules } from '../arguments/argument-rules.js';
import type { ArgumentProblem } from '../failure.js';
import type { ProgressUpdate } from '../progress.js';
import type { FieldTree } from '../results/field-tree.js';
import type { Run } from '../run/run.js';
import type { Soon } from '../soon.js';
import type { CallAnswer } from './answer.js';
import type { IdleClock } from './idle-clock.js';
import type { Question } from './question.js';
import type { CallRequest } from './request.js';

/** How a result is kept, to be given again by another process. */
export interface ResultCodec {
  encode(result: unknown): Promise<{ readonly type: string; readonly bytes: Uint8Array }>;
  decode(stored: { readonly type: string; readonly bytes: Uint8Array }): Promise<unknown>;
}

/**
 * For how long an equal call counts as a repetition, where no turn of a conversation and no intent tells it
 * from a new wish.
 */
export interface RepetitionWindows {
  /** An equal call that ended less than this ago answers, in milliseconds. */
  readonly duplicateMs: number;
  /** An irreversible one that ended less than this ago is not made again unasked, in milliseconds. */
  readonly suspicionMs: number;
}

/** What an adapter may have a reason to take a tool without an entry for. */
export type PresumedClass = 'read' | 'irreversible';

/** What of a result may leave. */
export interface ResultRules {
  /** In bytes of JSON. */
  readonly maxBytes: number;
  /** What is kept before other fields. */
  readonly kept: FieldTree;
}

/** A result that was too long. */
export interface TrimmedResult {
  readonly given: unknown;
  /** What an equal call is given, where `given` takes more than the ledger keeps. Default: nothing. */
  readonly kept?: unknown;
  /** How long it was, and how long it is now, in bytes of JSON. */
  readonly wholeBytes: number;
  readonly givenBytes: number;
}

/** What an adapter adds to a call: how its framework pauses, keeps results and waits for checkpoints. */
export interface CallHost {
  readonly run: Run;
  /** What must be durable before an irreversible effect may start. Resolves to what it could not wait for. */
  barrier?(
    signal: AbortSignal | undefined,
  ): Promise<{ checkpointId?: string; waitedMs: number } | undefined>;
  /**
   * Arguments as JSON text, the way that this adapter sends them. They are frozen so, and a later try sends
   * the same bytes. Default: `JSON.stringify`.
   */
  inputText?(input: unknown): string;
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
  /** What a tool without an entry is taken for. Default: `undeclared`. */
  readonly presumed?: PresumedClass;
  readonly codec?: ResultCodec;
  /** Cuts a result down to what may leave. Undefined where it is short enough. */
  trim?(result: unknown, rules: ResultRules): Soon<TrimmedResult | undefined>;
  /** A result without fields that must not be kept. Default: as for a plain value. */
  redact?(result: unknown, fields: FieldTree): unknown;
  /** How much of a result may leave where the tool's entry does not say, in bytes of JSON. Default: all. */
  readonly maxResultBytes?: number;
  /**
   * Takes the clock of `timeouts.idle` of each try, whose signs of life this adapter sees. Absent where it
   * sees none: then the limit is for the requests inside of the tool alone.
   */
  watchIdle?(clock: IdleClock): void;
  /** Shows the run's user that work goes on. Must not throw. */
  progress?(update: ProgressUpdate): void;
  /** How what a step gave is kept. Default: canonical JSON. */
  readonly stepCodec?: ResultCodec;
  /** A probe or capture of the guard itself, which is not in the run's report. */
  readonly isOwn?: boolean;
  /**
   * Takes the answer as soon as there is one, before what is remembered of it for later calls; the promise of the
   * call says the same a little later. Must not throw.
   */
  answer?(answer: CallAnswer<unknown>): void;
  /**
   * Whether `execute` gives the call to another process, so that nothing in it asks for the call that it runs in
   * (`currentCall`). Then no scope is made, and a program that only passes calls on has none at all.
   */
  readonly leavesProcess?: boolean;
  /** Absent in a conversation, whose turns tell a new wish from a repetition. */
  readonly repetition?: RepetitionWindows;
  /** What the tool itself demands of its arguments: all there is to go by without an entry, else checked after it. */
  readonly argumentRules?: ArgumentRules;
  /** What of a success's output is not as the tool itself promised. It is done all the same: a warning. */
  resultProblems?(output: unknown): readonly ArgumentProblem[];
  /** The names that the agent has; for the nearest ones to a name that it has not. */
  readonly toolNames?: readonly string[];
}
