import type { EffectKey } from '@holdfast/effect-ledger';
import type { EffectClass } from '@holdfast/tool-registry';
import type { FailureKind } from '../failure.js';

/** What each event says besides the common fields. */
export interface EventDetails {
  run_started: { readonly inputId: string };
  run_resumed: {
    readonly checkpointId?: string;
    readonly step?: number;
    readonly skipped: readonly EffectKey[];
    readonly unknown: readonly EffectKey[];
  };
  run_finished: { readonly status: string };
  call_started: { readonly class?: EffectClass; readonly argsDigest?: string };
  call_finished: {
    readonly outcome: 'succeeded' | 'failed' | 'unknown' | 'folded' | 'suspended';
    readonly kind?: FailureKind;
    readonly attempts: number;
    readonly repairs: readonly string[];
  };
  attempt_started: { readonly attempt: number; readonly timeoutMs?: number };
  attempt_finished: {
    readonly attempt: number;
    readonly outcome: 'succeeded' | 'failed' | 'unknown' | 'suspended';
    readonly kind?: FailureKind;
  };
  retry_scheduled: {
    readonly attempt: number;
    readonly waitMs: number;
    readonly directedBy: 'server' | 'guard';
    readonly kind: FailureKind;
  };
  retry_denied: { readonly attempt: number; readonly why: string; readonly kind: FailureKind };
  /** Expired credentials were renewed, or could not be. */
  auth_refreshed: { readonly outcome: 'renewed' | 'failed'; readonly why?: string };
  effect_declared: { readonly generation: number; readonly why: string };
  effect_settled: {
    readonly outcome: 'succeeded' | 'failed' | 'unknown' | 'suspended';
    readonly by: string;
  };
  effect_folded: { readonly how: 'replayed' | 'folded' | 'ahead' };
  /** A result was too long, and was cut. Both in bytes of JSON. */
  result_trimmed: { readonly wholeBytes: number; readonly givenBytes: number };
  breaker_state_changed: {
    readonly scope: 'tool' | 'group';
    readonly name: string;
    readonly from: 'closed' | 'open' | 'half-open';
    readonly to: 'closed' | 'open' | 'half-open';
    readonly cause: string;
    readonly failures: number;
    readonly calls: number;
    readonly consecutive: number;
    /** Wall-clock milliseconds. */
    readonly until?: number;
  };
  budget_allocated: {
    readonly deadlineMs: number;
    readonly consumedMs: number;
    readonly source: 'run' | 'resumed' | 'child';
  };
  budget_exhausted: {
    readonly budget: 'time';
    readonly neededMs: number;
    readonly leftMs: number;
  };
  loop_detected: {
    readonly detector: 'equal-results';
    readonly repeats: number;
    readonly digest: string;
  };
  /** What a mechanism that only watches would have done. */
  mechanism_shadowed: {
    readonly mechanism: string;
    readonly would: string;
    readonly kind?: FailureKind;
  };
  history_repaired: { readonly what: string; readonly why: string };
  step_finished: {
    readonly step: string;
    readonly outcome: 'succeeded' | 'failed' | 'unknown' | 'folded';
  };
  question_asked: { readonly kind: FailureKind; readonly why: string };
  question_answered: { readonly decision: string };
  effect_probed: {
    readonly found: 'one' | 'many' | 'absent' | 'pending' | 'cannot-tell';
    readonly why?: string;
  };
  warning: { readonly code: WarningCode; readonly message: string };
}
export type WarningCode =
  | 'intent_underived'
  | 'checkpoint_ahead'
  | 'undo_invalid'
  | 'key_not_carried'
  | 'retries_below'
  | 'sends_dropped'
  | 'node_timeout_shorter'
  | 'hand_over_lost'
  | 'no_barrier'
  | 'not_admitted'
  | 'result_invalid'
  | 'result_not_kept'
  | 'settlement_delayed'
  | 'profile_drifted'
  | 'loop_ended_run'
  | 'signal_unreadable'
  | 'tools_unread'
  | 'schema_unusable'
  | 'tool_changed'
  | 'protocol_unguarded';

/** What an event is about; what does not apply is absent. */
export interface EventSubject {
  readonly runId: string;
  readonly intentId: string;
  readonly tenant: string;
  readonly threadId?: string;
  readonly callId?: string;
  readonly attemptId?: string;
  readonly idempotencyKey?: EffectKey;
  readonly tool?: string;
  readonly toolVersion?: string;
  readonly resourceGroup?: string;
}
export type EventType = keyof EventDetails;
export type GuardEvent = {
  [T in EventType]: EventSubject & EventDetails[T] & { readonly type: T; readonly at: number };
}[EventType];

/** Where events go. One that throws never disturbs a call. */
export interface EventSink {
  write(event: GuardEvent): void;
  /** Whether it does anything with events of a type. Asked once for each. Default: with all. */
  wants?(type: EventType): boolean;
  /** Waits until everything written so far is out. */
  flush?(): Promise<void>;
}

/** Every type, so that counters can show those that never fired. */
export const eventTypes = [
  'run_started',
  'run_resumed',
  'run_finished',
  'call_started',
  'call_finished',
  'attempt_started',
  'attempt_finished',
  'retry_scheduled',
  'retry_denied',
  'auth_refreshed',
  'effect_declared',
  'effect_settled',
  'effect_folded',
  'effect_probed',
  'result_trimmed',
  'breaker_state_changed',
  'budget_allocated',
  'budget_exhausted',
  'loop_detected',
  'mechanism_shadowed',
  'history_repaired',
  'step_finished',
  'question_asked',
  'question_answered',
  'warning',
] as const satisfies readonly EventType[];
