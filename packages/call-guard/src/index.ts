export type { Approval } from './approve.js';
export type { ArgumentIssue, ArgumentRules } from './arguments/argument-rules.js';
export { unknownArgument } from './arguments/unknown-arguments.js';
export type { CallAnswer } from './call/answer.js';
export type { ArgumentChange, Edit } from './call/edit.js';
export { tellEdit } from './call/edit.js';
export type {
  CallHost,
  PresumedClass,
  ResultCodec,
  ResultRules,
  TrimmedResult,
} from './call/host.js';
export type { IdleClock } from './call/idle-clock.js';
export {
  type Answer,
  answersTo,
  type Choice,
  problemText,
  type Question,
  type ReadAnswers,
  readAnswers,
} from './call/question.js';
export type { CallFlaw, CallRequest, Execute, Sibling } from './call/request.js';
export { type CallContext, currentCall, currentRun } from './call-context.js';
export { saysSessionLost } from './classify/mcp.js';
export { provesUnsent } from './classify/system.js';
export { type Clock, createSystemClock } from './clock.js';
export type { EventCounts } from './events/emitter.js';
export type {
  EventDetails,
  EventSink,
  EventSubject,
  EventType,
  GuardEvent,
  WarningCode,
} from './events/event.js';
export { type MemorySink, memorySink } from './events/memory-sink.js';
export { ndjsonSink } from './events/ndjson-sink.js';
export { renderTimeline } from './events/timeline.js';
export { fail, type Statement } from './fail.js';
export {
  type ArgumentProblem,
  type EffectSeen,
  type Failure,
  type FailureDetails,
  type FailureFacts,
  type FailureKind,
  GuardError,
  isGuardError,
  type Next,
} from './failure.js';
export { forModel } from './failure-texts/model.js';
export type { Locale } from './failure-texts/user.js';

export { foreignText } from './foreign-text.js';

export { createGuard, type Guard } from './guard.js';
export type { GuardAdapter } from './guard-adapter.js';

export { guardedFetch } from './guarded-fetch.js';
export type { RunSpec } from './in-run.js';
export type { Limits, Settings } from './limits.js';
export type { Mechanism, Mode, ModeOption } from './mode.js';
export { onAbort, onGivenUp } from './on-abort.js';
export type { GuardOptions } from './options.js';
export type { ProgressUpdate } from './progress.js';
export type { BreakerControl } from './protection/breaker-control.js';
export type { AuthFailure, RefreshAuth } from './refresh-auth.js';
export {
  buildReport,
  type DoneEffect,
  type ReportFacts,
  type ResumeMarker,
  type RunReport,
  type RunStatus,
  type UnsettledEffect,
} from './report.js';
export type { FieldTree } from './results/field-tree.js';
export { jsonBytes } from './results/json-bytes.js';
export { endOfString, endOfValue, endOfWord, skipSpace } from './results/json-scan.js';
export { leftOut, leftOutWhole } from './results/left-out.js';
export { redactText, redactValue } from './results/redact.js';
export { sharesOf } from './results/shares.js';
export { LEAST_BYTES, trim } from './results/trim.js';
export type { CallEnd } from './run/call-ends.js';
export { DEADLINE_HEADER, type HeaderBag, readDeadline } from './run/propagation.js';
export type { Run, RunIdentity } from './run/run.js';
export type { CheckedRunLimits, RunLimits } from './run/run-limits.js';
export type { TimeExplained } from './run/time-budget.js';
export {
  type IdempotencyOptions,
  idempotencyMiddleware,
  type Middleware,
} from './server/idempotency-middleware.js';
export {
  type KeyedEnd,
  type KeyedRequest,
  KeyedWork,
  type KeyedWorkOptions,
} from './server/keyed-work.js';
export type { WorkEffect } from './server/work-end.js';
export type { ShadowReport } from './shadow.js';
export { StatedFailure } from './stated-failure.js';
export { type Reducible, WITHOUT } from './without.js';
